package dev.jobs.lists;

import dev.jobs.Internal;
import java.util.List;

/**
 * One step through a whole set, in no order. An entry that is there from the first step to the last is found at least
 * once, maybe more often.
 *
 * @param cursor of the next step
 * @param last whether there is no next step
 * @param looked number of entries that were looked at, whether they are among those found or not; approximate
 */
@Internal
public record ScanStep<T>(List<T> found, String cursor, boolean last, int looked) {

    /** Steps one after the other. */
    @FunctionalInterface
    public interface Steps<T> {

        /**
         * @param cursor {@link EntryReader#FIRST} for the first step, then that of the step before
         * @param count approximate number of entries to look at; fewer if they are large
         */
        ScanStep<T> next(String cursor, int count);
    }
}
