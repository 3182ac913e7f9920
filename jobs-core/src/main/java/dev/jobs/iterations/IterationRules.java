package dev.jobs.iterations;

import dev.jobs.Internal;
import dev.jobs.JobRule;
import java.lang.reflect.Method;

/** Recognizes methods that are declared to return an {@link Iteration}, which the worker then works through. */
@Internal
public final class IterationRules implements JobRule {

    @Override
    public boolean isIterable(Method method) {
        return Iteration.class.isAssignableFrom(method.getReturnType());
    }
}
