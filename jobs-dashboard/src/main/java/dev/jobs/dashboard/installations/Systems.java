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
 * What the installations are called.
 *
 * @param application the name of the application, if it has one
 * @param own of the application's own installation
 * @param others by the segments of their paths
 * @param divisions those among which the application divides its jobs; null if home is the only one
 */
@Internal
public record Systems(
        @Nullable String application,
        SystemName own,
        Map<String, SystemName> others,
        @Nullable Divided divisions) {

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

    /**
     * The installations among which the application divides its jobs.
     *
     * @param view the segment of the path of the view over all of them, and the folder of its scripts
     * @param pages the pages of that view, each with its script
     * @param all home first
     */
    public record Divided(String view, Map<String, String> pages, List<Division> all) {

        /** @param names home first */
        public static Divided of(String view, Map<String, String> pages, List<String> names) {
            List<Division> all = new ArrayList<>();
            names.forEach(name -> all.add(new Division(all.isEmpty() ? "" : name, name)));
            return new Divided(view, pages, List.copyOf(all));
        }
    }

    /** One of them. */
    public record Division(String at, String name) {}

    /** @param application the name of the application, if it has one */
    public static Systems of(DashboardProperties properties, @Nullable String application) {
        Map<String, SystemName> others = new LinkedHashMap<>();
        properties.installations().forEach((name, each) -> others.put(name, each.system()));
        return new Systems(application, properties.system(), others, null);
    }

    /** The same for an application that may divide its jobs. */
    public Systems with(@Nullable Divided several) {
        return new Systems(application, own, others, several);
    }

    /** @param at the segment of its path; empty for the application's own, whose name its other divisions have, too */
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

    /** The name of the application's own installation as a division; empty if it is none among others. */
    public String home() {
        return divisions == null ? "" : divisions.all().get(0).name();
    }
}
