package dev.jobs.dashboard.access;

import dev.jobs.Internal;
import dev.jobs.dashboard.web.Arrival;
import dev.jobs.dashboard.web.Sender;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Admits only requests that address this application by one of its names. The owner of any other name can let it point
 * here: a browser then takes their pages and ours for the same site, and allows theirs everything that ours may do.
 */
@Internal
public final class KnownHosts {

    private final Set<String> hosts;

    /** @param hosts names without ports, and addresses; none if every name is welcome */
    public KnownHosts(Set<String> hosts) {
        this.hosts = hosts.stream()
                .map(host -> host.strip().toLowerCase(Locale.ROOT))
                .map(host -> host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host)
                .collect(Collectors.toUnmodifiableSet());
    }

    public boolean admit(Arrival arrival) {
        // behind a proxy, the browser's name for us may be in the second header only
        return hosts.isEmpty()
                || !arrival.headers("Host").isEmpty()
                        && Stream.of("Host", "X-Forwarded-Host")
                                .flatMap(header -> arrival.headers(header).stream())
                                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                                .allMatch(this::isKnown);
    }

    private boolean isKnown(String authority) {
        String name = Sender.name(authority);
        return name != null && hosts.contains(name);
    }
}
