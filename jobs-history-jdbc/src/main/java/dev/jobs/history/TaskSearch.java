package dev.jobs.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which batches to find: those for which all conditions hold. Immutable; each method returns a new search.
 *
 * @param name the name of a batch; null for any, as for the others
 * @param from the earliest time of creation
 * @param until the time before which it was created
 */
public record TaskSearch(
        @Nullable String name,
        HistoryTask.@Nullable State state,
        @Nullable String tag,
        @Nullable String createdBy,
        @Nullable String parent,
        @Nullable Instant from,
        @Nullable Instant until) {

    /** All batches. */
    public static TaskSearch all() {
        return new TaskSearch(null, null, null, null, null, null, null);
    }

    /** Those of that name. */
    public TaskSearch withName(String wanted) {
        return new TaskSearch(wanted, state, tag, createdBy, parent, from, until);
    }

    /** Those in that state. */
    public TaskSearch withState(HistoryTask.State wanted) {
        return new TaskSearch(name, wanted, tag, createdBy, parent, from, until);
    }

    /** Those with that tag. */
    public TaskSearch withTag(String wanted) {
        return new TaskSearch(name, state, wanted, createdBy, parent, from, until);
    }

    /** Those of that owner. */
    public TaskSearch withCreatedBy(String wanted) {
        return new TaskSearch(name, state, tag, wanted, parent, from, until);
    }

    /** The children of a batch. */
    public TaskSearch withParent(String wanted) {
        return new TaskSearch(name, state, tag, createdBy, wanted, from, until);
    }

    /** Those created at that time or later. */
    public TaskSearch from(Instant earliest) {
        return new TaskSearch(name, state, tag, createdBy, parent, earliest, until);
    }

    /** Those created before that time. */
    public TaskSearch until(Instant end) {
        return new TaskSearch(name, state, tag, createdBy, parent, from, end);
    }
}
