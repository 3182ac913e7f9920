package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.Internal;
import java.util.List;

/**
 * Names that a property of the application has, which are compared with those that exist. A bean of each feature that
 * has such a property.
 *
 * @param property that names them
 * @param kind what they are names of
 * @param names {@code *} in them stands for any text
 * @param onlyHere whether no other application has the same property, so that a name that is unknown here is a mistake
 */
@Internal
public record ConfiguredNames(String property, Kind kind, List<String> names, boolean onlyHere) {

    /** What has names. */
    public enum Kind {
        JOB,
        QUEUE
    }

    /** Those that a feature has in many properties. */
    public interface Several {

        List<ConfiguredNames> all();
    }

    public ConfiguredNames {
        names = List.copyOf(names);
    }

    public ConfiguredNames(String property, Kind kind, List<String> names) {
        this(property, kind, names, true);
    }
}
