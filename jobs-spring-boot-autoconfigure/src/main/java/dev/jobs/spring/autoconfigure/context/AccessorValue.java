package dev.jobs.spring.autoconfigure.context;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/** A value of a library or the application, read and set through the accessor that it registered for it. */
record AccessorValue(String key, ThreadLocalAccessor<Object> accessor) implements CarriedValue {

    @Override
    public Path path() {
        return new Path("values", key);
    }

    @Override
    public @Nullable String read() {
        Object value = accessor.getValue();
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw new IllegalStateException(
                "The accessor returned a " + value.getClass().getName() + " instead of a text");
    }

    @Override
    public Runnable restore(String value) {
        Object before = accessor.getValue();
        accessor.setValue(value);
        return () -> {
            if (before == null) {
                accessor.restore();
            } else {
                accessor.restore(before);
            }
        };
    }
}
