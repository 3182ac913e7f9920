package dev.jobs.client;

import dev.jobs.InvalidJobException;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.redis.JobPushes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call that enqueues many jobs: it gathers them into slices and stores one slice while it gathers the next. Stored
 * jobs stay stored if the call fails later. Used once, by one thread.
 */
final class BulkCall {

    /** A slice of large jobs ends earlier: Redis reads a slice as a whole, and must still answer other clients soon. */
    private static final int MAX_SLICE_BYTES = 1_000_000;

    private record Gathered(int number, CheckedJob job) {}

    private final Enqueuer enqueuer;
    private final int sliceSize;
    private final List<@Nullable String> ids = new ArrayList<>();
    private final List<Gathered> slice = new ArrayList<>();
    private long sliceBytes;
    /** The number of the current element, from 1. */
    private int current;

    private int stored;

    /** The slice in flight, and its size. */
    private JobPushes.@Nullable Sent sent;

    private int sentJobs;

    BulkCall(Enqueuer enqueuer, int sliceSize) {
        this.enqueuer = enqueuer;
        this.sliceSize = sliceSize;
    }

    /** Enqueues a job for each element; returns the jids in order. */
    <E extends @Nullable Object> List<@Nullable String> run(
            Iterable<? extends E> elements, Function<E, Payload> draft) {
        try {
            for (E element : elements) {
                current++;
                gather(draft.apply(element));
            }
            storeSlice();
            awaitSent();
            return ids;
        } catch (InvalidJobException e) {
            endBecauseOf(e);
            throw new InvalidJobException(
                    e.getMessage() + "; this was element " + current + " of the call, " + storedBefore(), e);
        } catch (JobStoreException e) {
            endBecauseOf(e); // the caller's own iterable may have thrown it
            JobStoreException told = new JobStoreException(
                    e.kind(), e.getMessage() + "; of the call's other jobs " + storedBefore(), e.getCause());
            Arrays.stream(e.getSuppressed()).forEach(told::addSuppressed);
            throw told;
        } catch (Throwable e) { // an iterable or a middleware may throw anything, and the slice in flight holds a slot
            endBecauseOf(e);
            e.addSuppressed(new JobsException("A bulk call ended at element " + current + ", " + storedBefore()));
            throw e;
        }
    }

    private String storedBefore() {
        return String.format(Locale.ROOT, "%,d had been stored before", stored);
    }

    private void gather(Payload draft) {
        CheckedJob job = enqueuer.admit(draft);
        ids.add(job == null ? null : job.jid());
        if (job != null) {
            slice.add(new Gathered(current, job));
            sliceBytes += job.payload().length();
            if (slice.size() >= sliceSize || sliceBytes >= MAX_SLICE_BYTES) {
                storeSlice();
            }
        }
    }

    private void storeSlice() {
        Instant now = enqueuer.now();
        List<ReadyJob> waiting = new ArrayList<>();
        Map<String, List<ReadyJob>> byQueue = new LinkedHashMap<>();
        for (Gathered each : slice) {
            current = each.number();
            ReadyJob job = enqueuer.finish(each.job(), now);
            List<ReadyJob> group =
                    job.at() != null ? waiting : byQueue.computeIfAbsent(job.queue(), queue -> new ArrayList<>());
            group.add(job);
        }
        byQueue.values().forEach(this::store);
        store(waiting);
        slice.clear();
        sliceBytes = 0;
    }

    private void store(List<ReadyJob> jobs) {
        if (!jobs.isEmpty()) {
            awaitSent();
            sent = enqueuer.send(jobs);
            sentJobs = jobs.size();
        }
    }

    private void awaitSent() {
        JobPushes.Sent last = sent;
        sent = null;
        if (last != null) {
            last.await();
            stored += sentJobs;
        }
    }

    /** Waits for the slice in flight, so that it counts as stored, too. */
    private void endBecauseOf(Throwable failure) {
        try {
            awaitSent();
        } catch (JobStoreException e) {
            failure.addSuppressed(e);
        }
    }
}
