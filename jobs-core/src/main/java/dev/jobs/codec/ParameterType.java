package dev.jobs.codec;

import dev.jobs.Internal;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The name of one parameter of a job method, and the type to which its argument is converted.
 *
 * @param whenMissing JSON text read in place of a missing argument; null if the argument must be there
 */
@Internal
public record ParameterType(
        String name, Type type, @Nullable String whenMissing) {

    private static final Set<Type> OPTIONALS =
            Set.of(Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class);

    /** A parameter whose argument may be missing only if its type is an Optional. */
    public ParameterType(String name, Type type) {
        this(name, type, isOptional(type) ? "null" : null);
    }

    private static boolean isOptional(Type type) {
        return OPTIONALS.contains(type instanceof ParameterizedType generic ? generic.getRawType() : type);
    }

    /** Whether a job must have an argument for this parameter. */
    public boolean isRequired() {
        return whenMissing == null;
    }
}
