package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Decides what people may see of the arguments of any job, including jobs that this application doesn't know. Beans of
 * this type are called one after the other, each with the result of the one before it. Called by many threads at once,
 * for each job that a page lists. An exception hides the argument.
 */
@FunctionalInterface
public interface ArgumentMask {

    /**
     * Returns what to show of an argument.
     *
     * @param job the job's name in its payload, or empty
     * @param position the argument's position, from 0
     * @param argument a plain value: null, text, boolean, number, list or map
     * @return the argument itself, or a plain value to show instead, such as {@link ArgumentMasking#HIDDEN}
     */
    @Nullable Object shown(String job, int position, @Nullable Object argument);
}
