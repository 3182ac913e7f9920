package dev.jobs.dashboard.access;

import dev.jobs.Internal;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.WebRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The way of a browser on this machine to its cookie, if access is local: through the link in the log. */
@Internal
public final class Entrance {

    private final @Nullable LinkToken token;

    private Entrance(@Nullable LinkToken token) {
        this.token = token;
    }

    /** @param rule null if the application decides who may see the dashboard */
    public static Entrance of(@Nullable AccessRule rule) {
        return new Entrance(rule instanceof LocalAccess local ? local.token() : null);
    }

    /**
     * The headers of a redirection to the same page without the token, so that it stays out of the browser's history
     * and of bookmarks; null if the address of the request has none that is right.
     */
    @Nullable public Map<String, String> exchange(WebRequest request) {
        String uri = request.uri();
        String address = withoutSlash(uri);
        String path = withoutSlash(request.path());
        String root = address.endsWith(path) ? address.substring(0, address.length() - path.length()) : address;
        String cookie = token == null ? null : token.cookie(request, withoutSlash(root));
        if (cookie == null) {
            return null;
        }
        // relative, as all our addresses are; without its slash, the folder itself redirects to that with one
        String page = "./" + uri.substring(uri.lastIndexOf('/') + 1);
        return Map.of("Location", page + LinkToken.without(request.query()), "Set-Cookie", cookie);
    }

    private static String withoutSlash(String path) {
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    /**
     * Whether a refused request for a page may have the cookie when it is repeated: browsers leave it out where a link
     * of another site leads here, even through a redirection.
     */
    public boolean asksOnceMore(WebRequest request) {
        return token != null
                && request.method().equals("GET")
                && "cross-site".equals(request.header("Sec-Fetch-Site"))
                && "navigate".equals(request.header("Sec-Fetch-Mode"));
    }

    public Problem refusal() {
        return token == null
                ? new Problem(
                        403,
                        "refused",
                        "You may not see this dashboard. With Spring Security it is open to users who have one of the"
                                + " authorities in jobs.dashboard.viewers and jobs.dashboard.operators, and under the"
                                + " names in jobs.dashboard.hosts if there are any; see jobs.dashboard.access.")
                : new Problem(
                        403,
                        "link",
                        "This dashboard is open to browsers on this machine that have opened the link which the"
                                + " application logs at its start. To open it to others, add Spring Security; see"
                                + " jobs.dashboard.access.");
    }
}
