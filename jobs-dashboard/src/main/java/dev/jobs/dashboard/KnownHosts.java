package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Admits only requests that address this application by one of its names. The owner of any other name can let it point
 * here: a browser then takes their pages and ours for the same site, and allows theirs everything that ours may do.
 */
final class KnownHosts implements DashboardAccess {

    private final Set<String> hosts;
    private final DashboardAccess access;

    /**
     * @param hosts names without ports, and addresses
     * @param access decides what such requests may do
     */
    KnownHosts(Set<String> hosts, DashboardAccess access) {
        this.hosts = hosts.stream()
                .map(host -> host.strip().toLowerCase(Locale.ROOT))
                .map(host -> host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host)
                .collect(Collectors.toUnmodifiableSet());
        this.access = access;
    }

    @Override
    public DashboardRole roleOf(HttpServletRequest request) {
        HttpServletRequest original = Sender.original(request);
        // behind a proxy, the browser's name for us may be in the second header only
        boolean known = Stream.of("Host", "X-Forwarded-Host")
                .flatMap(header -> Collections.list(original.getHeaders(header)).stream())
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .allMatch(this::isKnown);
        return known && original.getHeader("Host") != null ? access.roleOf(request) : DashboardRole.NONE;
    }

    private boolean isKnown(String authority) {
        String name = Sender.name(authority);
        return name != null && hosts.contains(name);
    }
}
