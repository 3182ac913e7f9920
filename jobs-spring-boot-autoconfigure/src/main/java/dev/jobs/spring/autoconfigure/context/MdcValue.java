package dev.jobs.spring.autoconfigure.context;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** An entry of the MDC. */
record MdcValue(String key) implements CarriedValue {

    @Override
    public Path path() {
        return new Path("mdc", key);
    }

    @Override
    public @Nullable String read() {
        return MDC.get(key);
    }

    @Override
    public Runnable restore(String value) {
        String before = MDC.get(key);
        MDC.put(key, value);
        return () -> {
            if (before == null) {
                MDC.remove(key);
            } else {
                MDC.put(key, before);
            }
        };
    }
}
