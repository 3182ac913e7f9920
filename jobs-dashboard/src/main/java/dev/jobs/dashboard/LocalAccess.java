package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Lets in who sits at this machine. Three things have to hold, since each alone can be forged: the connection itself comes from a loopback
 * address; nothing says that somebody forwarded the request, who would then be all that the address tells of; and the request asks for this
 * machine by a name of its own, or a page of any site could reach us through a name that its owner lets point here.
 *
 * <p>A proxy on this machine that says nothing of itself and asks for {@code localhost} can't be told from a browser here.
 */
final class LocalAccess implements DashboardAccess {

    private static final List<String> FORWARDING_PREFIXES = List.of("x-forwarded-", "x-original-", "x-envoy-");

    private static final Set<String> FORWARDING_HEADERS = Set.of(
            "forwarded",
            "via",
            "x-forwarded",
            "x-real-ip",
            "x-client-ip",
            "x-cluster-client-ip",
            "x-proxyuser-ip",
            "x-azure-clientip",
            "cf-connecting-ip",
            "fastly-client-ip",
            "true-client-ip",
            "x-amzn-trace-id");

    /** What Tomcat leaves where it replaced the address of the connection by one from a header, and may have removed the header. */
    private static final List<String> FORWARDED_ATTRIBUTES =
            List.of("org.apache.tomcat.request.forwarded", "org.apache.tomcat.remoteAddr");

    /** No browser has spoken it for long, and some proxies do where nothing else is said. */
    private static final Set<String> OLD_PROTOCOLS = Set.of("HTTP/1.0", "HTTP/0.9");

    @Override
    public DashboardRole roleOf(HttpServletRequest request) {
        HttpServletRequest original = Sender.original(request);
        boolean local = Sender.isLoopback(original.getRemoteAddr())
                && !OLD_PROTOCOLS.contains(original.getProtocol())
                && Collections.list(original.getHeaderNames()).stream().noneMatch(LocalAccess::tellsOfAProxy)
                && FORWARDED_ATTRIBUTES.stream().allMatch(name -> original.getAttribute(name) == null)
                && Sender.isOwnName(Sender.name(original.getHeader("Host")));
        return local ? DashboardRole.OPERATOR : DashboardRole.NONE;
    }

    private static boolean tellsOfAProxy(String header) {
        String name = header.toLowerCase(Locale.ROOT);
        return FORWARDING_HEADERS.contains(name) || FORWARDING_PREFIXES.stream().anyMatch(name::startsWith);
    }
}
