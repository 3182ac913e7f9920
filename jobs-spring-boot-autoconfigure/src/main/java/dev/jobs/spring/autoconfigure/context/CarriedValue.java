package dev.jobs.spring.autoconfigure.context;

import org.jspecify.annotations.Nullable;

/** A value of the current thread that jobs take along as text. Thread-safe. */
interface CarriedValue {

    /** The name of the value in the job: a path of one or two parts, such as {@code mdc.tenant}. */
    Path path();

    /** The value of the current thread; null if it has none. */
    @Nullable String read();

    /**
     * Gives the value to the current thread.
     *
     * @return restores the value that the thread had before
     */
    Runnable restore(String value);

    /**
     * The place of a value in the member of the job.
     *
     * @param group the object that holds it; empty for the member itself
     */
    record Path(String group, String name) {

        @Override
        public String toString() {
            return group.isEmpty() ? name : group + "." + name;
        }
    }
}
