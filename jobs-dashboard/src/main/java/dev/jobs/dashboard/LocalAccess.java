package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Admits users on this machine. Three conditions must hold, since each alone can be forged: the connection comes from a
 * loopback address; nothing indicates that the request was forwarded, in which case the address would only identify the
 * proxy; and the request names this machine by one of its own names, or any site's page could reach us through a name
 * that its owner lets point here.
 *
 * <p>A proxy on this machine that adds no headers and asks for {@code localhost} can't be distinguished from a local
 * browser.
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

    /**
     * Attributes that Tomcat sets when it replaces the connection's address by one from a header, which it may have
     * removed.
     */
    private static final List<String> FORWARDED_ATTRIBUTES =
            List.of("org.apache.tomcat.request.forwarded", "org.apache.tomcat.remoteAddr");

    /** Browsers abandoned these long ago, but some proxies use them by default. */
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
