package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells requests of our own pages from those that a page of another site had somebody's browser send. Browsers say it in
 * {@code Sec-Fetch-Site}, which no page can set; old ones only name the {@code Origin} of what changes something.
 */
final class Origin {

    private static final Set<String> LOOKING = Set.of("same-origin", "none");

    private final boolean localOnly;

    /**
     * @param localOnly whether only pages may act that a browser on this machine has from this machine: a page that came through a proxy has
     *     the name of that for its origin, even if all else that tells of it was lost on the way
     */
    Origin(boolean localOnly) {
        this.localOnly = localOnly;
    }

    /** Whether a request may read: by a page of ours, by somebody who typed its address, or by no browser at all. */
    boolean mayRead(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        return site == null || LOOKING.contains(site);
    }

    /** Whether a request may change something: only if it is certain to come from a page of ours. */
    boolean mayWrite(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = Sender.authority(request.getHeader("Origin"));
        return (site == null ? namesUs(request, origin) : site.equals("same-origin"))
                && (!localOnly || Sender.isOwnName(Sender.name(origin)));
    }

    /** Behind a proxy the browser's name for us is in X-Forwarded-Host, which a page can no more set than the Origin itself. */
    private static boolean namesUs(HttpServletRequest request, @Nullable String origin) {
        return origin != null
                && Stream.of("Host", "X-Forwarded-Host")
                        .map(request::getHeader)
                        .anyMatch(host ->
                                host != null && host.toLowerCase(Locale.ROOT).equals(origin));
    }
}
