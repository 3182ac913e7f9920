package dev.jobs.spring.autoconfigure.context;

import dev.jobs.JobDefinitionException;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.util.List;
import java.util.stream.Stream;

/** Finds accessors by their keys: those that are beans, then those of the registry that all libraries share. */
final class Accessors {

    private final List<ThreadLocalAccessor<?>> beans;

    Accessors(List<ThreadLocalAccessor<?>> beans) {
        this.beans = List.copyOf(beans);
    }

    CarriedValue find(String key) {
        return Stream.concat(beans.stream(), ContextRegistry.getInstance().getThreadLocalAccessors().stream())
                .filter(each -> each.key().equals(key))
                .findFirst()
                .map(found -> new AccessorValue(key, ofObjects(found)))
                .orElseThrow(
                        () -> new JobDefinitionException(
                                "The property jobs.context.accessors names '" + key
                                        + "', and there is no ThreadLocalAccessor with this key",
                                "Define it as a bean, or register it with ContextRegistry.getInstance() before the application has started."));
    }

    /** Only texts are passed to it, and it checks what it is passed. */
    @SuppressWarnings("unchecked")
    private static ThreadLocalAccessor<Object> ofObjects(ThreadLocalAccessor<?> accessor) {
        return (ThreadLocalAccessor<Object>) accessor;
    }
}
