package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.net.URISyntaxException;
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

    private Origin() {}

    /** Whether a request may read: by a page of ours, by somebody who typed its address, or by no browser at all. */
    static boolean mayRead(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        return site == null || LOOKING.contains(site);
    }

    /** Whether a request may change something: only if it is certain to come from a page of ours. */
    static boolean mayWrite(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        return site == null ? namesUs(request) : site.equals("same-origin");
    }

    /** Behind a proxy the browser's name for us is in X-Forwarded-Host, which a page can no more set than the Origin itself. */
    private static boolean namesUs(HttpServletRequest request) {
        String origin = authority(request.getHeader("Origin"));
        return origin != null
                && Stream.of("Host", "X-Forwarded-Host")
                        .map(request::getHeader)
                        .anyMatch(host ->
                                host != null && host.toLowerCase(Locale.ROOT).equals(origin));
    }

    private static @Nullable String authority(@Nullable String origin) {
        try {
            String authority = origin == null ? null : new URI(origin).getRawAuthority();
            return authority == null ? null : authority.toLowerCase(Locale.ROOT);
        } catch (URISyntaxException e) {
            return null;
        }
    }
}
