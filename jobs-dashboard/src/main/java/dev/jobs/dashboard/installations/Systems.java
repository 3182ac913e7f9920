package dev.jobs.dashboard.installations;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardProperties;
import dev.jobs.dashboard.DashboardProperties.SystemName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the installations and shards are called.
 *
 * @param application the name of the application, if it has one
 * @param own of the application's own installation
 * @param others by the segments of their paths
 * @param shards the names of the application's shards, home first; empty if that is the only one
 */
@Internal
public record Systems(
        @Nullable String application, SystemName own, Map<String, SystemName> others, List<String> shards) {

    /** A system as pages name it. */
    record SystemView(@Nullable String name, String environment, String colour) {

        private static SystemView of(SystemName system, @Nullable String otherwise) {
            return new SystemView(
                    system.name().isEmpty() ? otherwise : system.name(),
                    system.environment(),
                    system.colour().name().toLowerCase(Locale.ROOT));
        }
    }

    /**
     * One that the user can switch to.
     *
     * @param at the segment of its path; empty for the application's own
     */
    record Choice(String at, SystemView system) {}

    /** A shard that the user can switch to. */
    record Shard(String at, String name) {}

    /** @param application the name of the application, if it has one */
    public static Systems of(DashboardProperties properties, @Nullable String application) {
        Map<String, SystemName> others = new LinkedHashMap<>();
        properties.installations().forEach((name, each) -> others.put(name, each.system()));
        return new Systems(application, properties.system(), others, List.of());
    }

    /** The same with shards. */
    public Systems with(List<String> names) {
        return new Systems(application, own, others, names);
    }

    /** @param at the segment of its path; empty for the application's own, which also its other shards are of */
    SystemView view(String at) {
        SystemName other = others.get(at);
        return other == null ? SystemView.of(own, application) : SystemView.of(other, at);
    }

    /** All of them, the application's own one first; none if there is only that. */
    List<Choice> choices() {
        return others.isEmpty()
                ? List.of()
                : Stream.concat(Stream.of(""), others.keySet().stream())
                        .map(at -> new Choice(at, view(at)))
                        .toList();
    }

    /** The name of the application's own installation as a shard; empty if it is none among others. */
    public String home() {
        return shards.isEmpty() ? "" : shards.get(0);
    }

    /** The shards, home first; none if that is the only one. */
    List<Shard> shardChoices() {
        List<Shard> all = new ArrayList<>();
        shards.forEach(name -> all.add(new Shard(all.isEmpty() ? "" : name, name)));
        return all;
    }
}
