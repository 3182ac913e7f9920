package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.Internal;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Properties have values that they can't have. */
@Internal
public final class WrongPropertiesException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * One of them.
     *
     * @param property its name
     * @param value its value as text, after its conversion; null if people must not see it
     * @param rule what the value must be
     */
    public record Wrong(String property, @Nullable String value, String rule) {

        @Override
        public String toString() {
            return property + " " + rule + (value == null ? "" : " but was '" + value + "'");
        }
    }

    @SuppressWarnings("serial") // never serialized
    private final List<Wrong> all;

    WrongPropertiesException(List<Wrong> all) {
        super(all.stream().map(Wrong::toString).collect(Collectors.joining("; ")));
        this.all = List.copyOf(all);
    }

    public List<Wrong> all() {
        return all;
    }
}
