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
                .map(found -> checked(key, ofObjects(found)))
                .orElseThrow(
                        () -> new JobDefinitionException(
                                "The property jobs.context.accessors names '" + key
                                        + "', and there is no ThreadLocalAccessor with this key",
                                "Define it as a bean, or register it with ContextRegistry.getInstance() before the application has started."));
    }

    /** A value that can't be removed would be there for the next job of the thread, which may be another tenant's. */
    private static AccessorValue checked(String key, ThreadLocalAccessor<Object> accessor) {
        try {
            if (accessor.getValue() == null) {
                accessor.setValue();
            }
        } catch (RuntimeException e) {
            throw new JobDefinitionException(
                    "The property jobs.context.accessors names '" + key
                            + "', and its ThreadLocalAccessor can't remove the value from a thread: " + e.getMessage(),
                    "Override its method setValue() without parameters, which jobs call when they end.");
        }
        return new AccessorValue(key, accessor);
    }

    /** Only texts are passed to it, and it checks what it is passed. */
    @SuppressWarnings("unchecked")
    private static ThreadLocalAccessor<Object> ofObjects(ThreadLocalAccessor<?> accessor) {
        return (ThreadLocalAccessor<Object>) accessor;
    }
}
