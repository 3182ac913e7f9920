package dev.jobs.batches;

import dev.jobs.InvalidJobException;
import dev.jobs.JobContext;
import dev.jobs.JobStoreException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Processes many jobs under one id, and knows what became of each.
 *
 * <pre>{@code
 * String id = batches.create("enroll", batch -> batch
 *         .addAll(products.stream().map(product -> JobCall.of(Enrollments::enroll, product, campaign)))
 *         .onFinish(JobCall.of(Campaigns::report, campaign)));
 *
 * BatchStatus status = batches.find(id).orElseThrow();
 * BatchPage refused = batches.jobs(id, Set.of(BatchJobState.FAILED), -1, 100);
 * }</pre>
 *
 * <p>A job and its state in the batch change in one step, so counters are exact whatever crashes. Each event has its
 * callback, an ordinary job, which is enqueued exactly once; like every job it runs at least once.
 *
 * <p>A batch is kept while it is unfinished, and for a day afterwards, or a week if jobs of it are dead; then its keys
 * expire.
 *
 * <p>Thread-safe. Every call throws {@link JobStoreException} if Redis can't be reached or refuses.
 */
public interface Batches {

    /**
     * Creates a batch, all or nothing: none of its jobs runs before the call has stored all of them, and an exception
     * leaves none.
     *
     * @param name what kind of batch it is, for people; 1 to 200 characters
     * @return the id
     * @throws InvalidJobException if a job can't be stored as given
     */
    String create(String name, Consumer<BatchBuilder> content);

    /**
     * Creates a batch once: a repeated call with the same name and key returns the same id and adds only what is
     * missing, also after a crash.
     *
     * @param key identifies the batch among those of that name, as long as the batch exists; a later call creates a new
     *     one. Repeated calls must give the same job at the same position: a position that is filled stays as it is
     */
    String create(String name, String key, Consumer<BatchBuilder> content);

    /** Opens a new batch, to be filled while its jobs run. */
    default OpenBatch open(String name) {
        return open(name, options -> {});
    }

    /** Opens a new batch, to be filled while its jobs run. */
    OpenBatch open(String name, Consumer<BatchOptions> options);

    /** Opens a batch that was or wasn't there: the same name and key lead to the same batch. */
    default OpenBatch open(String name, String key) {
        return open(name, key, options -> {});
    }

    /**
     * Opens a batch that was or wasn't there: the same name and key lead to the same batch. Options of a batch that was
     * there stay.
     *
     * @throws BatchEndedException if it has ended
     */
    OpenBatch open(String name, String key, Consumer<BatchOptions> options);

    /** The batch with that id; empty if there is none, or no longer. */
    Optional<BatchStatus> find(String id);

    /** The batches with these ids, as far as there are any; one call to Redis for each hundred. */
    Map<String, BatchStatus> findAll(Collection<String> ids);

    /**
     * Jobs of a batch in the order of their indexes.
     *
     * @param states the states to return; empty for all
     * @param after the index after which to begin: -1 for the first page, then {@link BatchPage#next}
     * @param size 1 to 1,000
     * @return up to {@code size} jobs; fewer, or none, although there are more, if it took long to find them, or once
     *     their messages and results are about a megabyte
     */
    BatchPage jobs(String id, Set<BatchJobState> states, long after, int size);

    /**
     * Waits until a batch has finished.
     *
     * @return whether it has, or no longer exists
     */
    boolean await(String id, Duration timeout) throws InterruptedException;

    /**
     * Cancels a batch and its children: jobs that wait are skipped, except for those that begin within about a second,
     * and running ones see {@link JobContext#isCancelled()} within about two. Takes longer with thousands of children;
     * if it fails half way, the leading worker goes on.
     *
     * @return false if it has ended or there is no such batch
     */
    boolean cancel(String id);

    /**
     * Enqueues all dead jobs of a batch again. If they succeed, so does the batch. Jobs that expire do so counted from
     * now.
     *
     * @return the number of jobs
     */
    long retryDead(String id);

    /**
     * Looks for the jobs that the batch takes for waiting or running, and corrects the states of those that ended
     * without its knowledge: a Ruby worker ran them, or someone deleted them or their queue in Redis. Jobs that are
     * found nowhere become {@link BatchJobState#LOST}, so the batch can finish. A job that exists is never taken for
     * lost, as long as only Java moves it. May be repeated, and run by several processes at once.
     *
     * <p>Reads every queue, set and running job once, in steps of 1,000 entries, about a second for a million of them.
     * If a job is missing, it reads all of them again, and the names of all keys; beside Ruby workers it waits 12
     * seconds before that, since they show what they run only every ten.
     *
     * @return what it found; empty if there is no such batch
     */
    Optional<BatchAudit> audit(String id) throws InterruptedException;
}
