package dev.jobs.dashboard.access;

import dev.jobs.Internal;
import dev.jobs.dashboard.web.Sender;
import dev.jobs.dashboard.web.WebRequest;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes requests of our own pages from those that another site's page makes a browser send. Browsers report
 * this in {@code Sec-Fetch-Site}, which no page can set; old ones only send the {@code Origin} with requests that
 * change something.
 */
@Internal
public final class Origin {

    private static final Set<String> LOOKING = Set.of("same-origin", "none");

    private final boolean localOnly;

    /**
     * @param localOnly whether only pages that a browser on this machine loaded from this machine may act: a page
     *     loaded through a proxy has the proxy's name as its origin, even if all other traces of the proxy are lost
     */
    public Origin(boolean localOnly) {
        this.localOnly = localOnly;
    }

    /** Whether a request may read: from our own page, from a typed address, or from no browser at all. */
    public boolean mayRead(WebRequest request) {
        String site = request.header("Sec-Fetch-Site");
        return site == null || LOOKING.contains(site);
    }

    /** Whether a request may change something: only if it certainly comes from our own page. */
    public boolean mayWrite(WebRequest request) {
        String site = request.header("Sec-Fetch-Site");
        String origin = Sender.authority(request.header("Origin"));
        return (site == null ? namesUs(request, origin) : site.equals("same-origin"))
                && (!localOnly || Sender.isOwnName(Sender.name(origin)));
    }

    /**
     * Behind a proxy, X-Forwarded-Host has the browser's name for us; a page can't set it, just as it can't set the
     * Origin.
     */
    private static boolean namesUs(WebRequest request, @Nullable String origin) {
        return origin != null
                && Stream.of("Host", "X-Forwarded-Host")
                        .map(request::header)
                        .anyMatch(host ->
                                host != null && host.toLowerCase(Locale.ROOT).equals(origin));
    }
}
