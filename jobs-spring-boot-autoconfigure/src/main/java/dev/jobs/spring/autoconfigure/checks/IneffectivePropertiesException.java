package dev.jobs.spring.autoconfigure.checks;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Properties have names under which they have no effect. */
final class IneffectivePropertiesException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * One of them.
     *
     * @param property its name as it is written
     * @param origin where it is written; null if unknown
     * @param reason the end of a sentence about it
     */
    record Ineffective(String property, @Nullable String origin, String reason) {

        @Override
        public String toString() {
            return property + (origin == null ? "" : " (" + origin + ")") + ": " + reason;
        }
    }

    @SuppressWarnings("serial") // never serialized
    private final List<Ineffective> all;

    IneffectivePropertiesException(List<Ineffective> all) {
        super("Properties have no effect: "
                + all.stream().map(Ineffective::toString).collect(Collectors.joining(", ")));
        this.all = List.copyOf(all);
    }

    List<Ineffective> all() {
        return all;
    }
}
