package dev.jobs.codec;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectWriter;

/**
 * How values of one declared type are written, and which of them need no look at what the job would get.
 *
 * @param writer writes by the declared type
 * @param writerByName the same for jobs by name
 * @param carriesNull whether null arrives as null
 * @param surely whether values of the class of this one always arrive as they are
 */
record CarriedType(
        JavaType type, ObjectWriter writer, ObjectWriter writerByName, boolean carriesNull, Predicate<Object> surely) {

    /**
     * Whether a value has to be written by its declared type: elements of a list, and members whose type is a variable,
     * don't know it, and only it has the name that JSON gives to a subtype. Others are written as what they are.
     */
    boolean saysMoreThan(Object value) {
        Class<?> raw = type.getRawClass();
        return type.isContainerType() || type.isReferenceType()
                ? raw.isInstance(value)
                : type.containedTypeCount() > 0 && raw == value.getClass();
    }

    /** Whether a value surely arrives as it is. */
    boolean surely(@Nullable Object value, boolean byName) {
        if (value == null) {
            return byName || carriesNull;
        }
        return surely.test(value);
    }
}
