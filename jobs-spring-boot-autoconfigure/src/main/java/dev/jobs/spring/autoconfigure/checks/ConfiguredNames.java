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
 */
@Internal
public record ConfiguredNames(String property, Kind kind, List<String> names) {

    /** What has names. */
    public enum Kind {
        JOB,
        QUEUE
    }

    public ConfiguredNames {
        names = List.copyOf(names);
    }
}
