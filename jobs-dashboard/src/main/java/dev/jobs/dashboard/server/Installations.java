package dev.jobs.dashboard.server;

import dev.jobs.Internal;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The installations that the dashboard shows, and the first segment of a path, which says which one is meant. */
@Internal
public final class Installations {

    /** @param path below that of the installation */
    public record Target(Installation installation, String path) {}

    private final Installation own;
    private final List<Installation> others;
    private final Map<String, Installation> byName;

    public Installations(Installation own, List<Installation> others) {
        this.own = own;
        this.others = List.copyOf(others);
        this.byName = others.stream().collect(Collectors.toUnmodifiableMap(Installation::name, each -> each));
    }

    /** The application's own one first. */
    public Stream<Installation> all() {
        return Stream.concat(Stream.of(own), others.stream());
    }

    /** @param path below that of the dashboard. A first segment that names no installation is part of the path. */
    public Target target(String path) {
        int end = path.indexOf('/');
        Installation other = byName.get(end < 0 ? path : path.substring(0, end));
        return other == null ? new Target(own, path) : new Target(other, end < 0 ? "" : path.substring(end + 1));
    }
}
