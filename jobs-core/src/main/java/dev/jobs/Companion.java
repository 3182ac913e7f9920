package dev.jobs;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;

/**
 * A method beside the {@link Job} methods of a class that a feature calls for one of them: on the same bean, so with its
 * transactions and other advice.
 *
 * @param types those of its parameters, type variables resolved
 * @param invoker calls it, with one argument for each of its parameters
 */
@Internal
public record Companion(Method method, List<Type> types, JobDefinition.Invoker invoker) {

    public Companion {
        types = KotlinTypes.of(method, types);
    }

    /** The methods of a class with jobs. */
    @Internal
    public record Family(List<Method> jobs, List<Companion> companions) {

        /** Of a job that is defined alone. */
        public static final Family NONE = new Family(List.of(), List.of());

        public Family {
            jobs = List.copyOf(jobs);
            companions = List.copyOf(companions);
        }
    }
}
