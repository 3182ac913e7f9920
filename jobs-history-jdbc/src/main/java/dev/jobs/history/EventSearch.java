package dev.jobs.history;

import dev.jobs.batches.BatchJobState;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs to find: those for which all conditions hold. Immutable; each method returns a new search.
 *
 * @param task the id of a batch; null for any, and for jobs outside batches, as for the others
 * @param states empty for any
 * @param tag a tag of the batch
 * @param text words of the messages, or the beginnings of some; upper and lower case are the same
 * @param from the earliest time at which a job was recorded first
 * @param until the time before which that was
 */
public record EventSearch(
        @Nullable String task,
        Set<BatchJobState> states,
        @Nullable String job,
        @Nullable String queue,
        @Nullable String tag,
        @Nullable String text,
        @Nullable Instant from,
        @Nullable Instant until,
        Order order) {

    /** The order of jobs. */
    public enum Order {
        /** Those first that were recorded last. */
        NEWEST,
        /** By their number in the batch; needs a batch. */
        INDEX,
        /** Those first that ended last; leaves out those of which no end was recorded. Fast within a batch. */
        ENDED
    }

    public EventSearch {
        states = Set.copyOf(states);
        if (order == Order.INDEX && task == null) {
            throw new IllegalArgumentException("The order INDEX needs a batch");
        }
    }

    /** All jobs, the newest first. */
    public static EventSearch all() {
        return new EventSearch(null, Set.of(), null, null, null, null, null, null, Order.NEWEST);
    }

    /** The jobs of a batch, by their number. */
    public static EventSearch ofTask(String id) {
        return new EventSearch(id, Set.of(), null, null, null, null, null, null, Order.INDEX);
    }

    /** Those in one of these states. */
    public EventSearch withStates(BatchJobState first, BatchJobState... more) {
        return new EventSearch(task, EnumSet.of(first, more), job, queue, tag, text, from, until, order);
    }

    /** Those of that name. */
    public EventSearch withJob(String name) {
        return new EventSearch(task, states, name, queue, tag, text, from, until, order);
    }

    /** Those of that queue. */
    public EventSearch withQueue(String name) {
        return new EventSearch(task, states, job, name, tag, text, from, until, order);
    }

    /** Those of batches with that tag. */
    public EventSearch withTag(String wanted) {
        return new EventSearch(task, states, job, queue, wanted, text, from, until, order);
    }

    /** Those whose messages contain these words, or words that begin so. */
    public EventSearch withText(String words) {
        return new EventSearch(task, states, job, queue, tag, words, from, until, order);
    }

    /** Those recorded first at that time or later. */
    public EventSearch from(Instant earliest) {
        return new EventSearch(task, states, job, queue, tag, text, earliest, until, order);
    }

    /** Those recorded first before that time. */
    public EventSearch until(Instant end) {
        return new EventSearch(task, states, job, queue, tag, text, from, end, order);
    }

    /** In another order. */
    public EventSearch by(Order other) {
        return new EventSearch(task, states, job, queue, tag, text, from, until, other);
    }
}
