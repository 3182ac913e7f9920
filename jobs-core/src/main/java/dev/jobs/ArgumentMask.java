package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Decides what people may see of the arguments of any job, also of those that this application doesn't know. Beans of this type are asked
 * one after the other, each with what the one before it returned. Called by many threads at once, for each job that a page lists; what it
 * throws hides the argument.
 */
@FunctionalInterface
public interface ArgumentMask {

    /**
     * What to show of an argument.
     *
     * @param job the job's name in its payload, or empty
     * @param position of the argument, from 0
     * @param argument a plain value: null, text, boolean, number, list or map
     * @return the argument itself, or a plain value in its place, such as {@link ArgumentMasking#HIDDEN}
     */
    @Nullable Object shown(String job, int position, @Nullable Object argument);
}
