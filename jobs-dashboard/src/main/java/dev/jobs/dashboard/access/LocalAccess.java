package dev.jobs.dashboard.access;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.web.Arrival;
import dev.jobs.dashboard.web.Sender;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Admits users on this machine. Four conditions must hold, since each of the first three can be forged: the connection
 * comes from a loopback address; nothing indicates that the request was forwarded, in which case the address would only
 * identify the proxy; the request names this machine by one of its own names, or any site's page could reach us through
 * a name that its owner lets point here; and it has the token of the link in the log, since a proxy on this machine
 * that adds no headers and asks for {@code localhost} can't be distinguished from a local browser.
 */
@Internal
public final class LocalAccess implements AccessRule {

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

    /** Browsers abandoned these long ago, but some proxies use them by default. */
    private static final Set<String> OLD_PROTOCOLS = Set.of("HTTP/1.0", "HTTP/0.9");

    private final LinkToken token;

    LocalAccess(LinkToken token) {
        this.token = token;
    }

    LinkToken token() {
        return token;
    }

    @Override
    public DashboardRole roleOf(Arrival arrival, Supplier<Set<String>> authorities) {
        List<String> hosts = arrival.headers("Host");
        boolean local = Sender.isLoopback(arrival.address())
                && !OLD_PROTOCOLS.contains(arrival.protocol())
                && arrival.headerNames().stream().noneMatch(LocalAccess::tellsOfAProxy)
                && !arrival.isReaddressed()
                && !hosts.isEmpty()
                && hosts.stream().allMatch(host -> Sender.isOwnName(Sender.name(host)))
                && token.isShownBy(arrival);
        return local ? DashboardRole.OPERATOR : DashboardRole.NONE;
    }

    private static boolean tellsOfAProxy(String header) {
        String name = header.toLowerCase(Locale.ROOT);
        return FORWARDING_HEADERS.contains(name) || FORWARDING_PREFIXES.stream().anyMatch(name::startsWith);
    }
}
