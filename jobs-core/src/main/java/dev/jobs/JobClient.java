package dev.jobs;

import dev.jobs.encryption.Encrypted;
import dev.jobs.iterations.Iteration;
import dev.jobs.limits.Limit;
import dev.jobs.unique.Unique;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs.
 *
 * <p>A client is immutable and safe for use by many threads. {@link #at}, {@link #atEach}, {@link #in},
 * {@link #spread}, {@link #queue}, {@link #retry}, {@link #expiresIn}, {@link #timeout}, {@link #keepResult},
 * {@link #unique}, {@link #throttle}, {@link #debounce}, {@link #limit}, {@link #tags}, {@link #with} and others return
 * a new client with that option and leave this one unchanged:
 *
 * <pre>{@code
 * String jid = jobs.enqueue(Emails::welcome, "bob@example.com", 5);
 * jobs.in(Duration.ofMinutes(10)).queue("low").enqueue("HardWorker", "bob", 5);
 * }</pre>
 *
 * <p>{@link JobMethod} says what a call by method reference needs to compile.
 *
 * <p>The client's options override those of the {@link Job} annotation. When a call returns, the job is in Redis. In a
 * transaction that jobs wait for, it is stored once the transaction has committed, and dropped on rollback. The call
 * returns the job's id (jid), or null if an {@link EnqueueMiddleware} or the lock of a {@linkplain Unique unique} job
 * kept the job from being stored.
 *
 * <p>Every call throws {@link InvalidJobException} if the job can't be stored as given, and {@link JobStoreException}
 * if Redis can't be reached or refuses within the command timeout. After a {@code JobStoreException} the job may have
 * been stored all the same if the answer was lost: {@link JobStoreException#mayHaveRun()} says so.
 */
public interface JobClient extends MethodEnqueuer, JobSubmitter {

    /** Returns a client whose jobs wait until the given time; a time that is not in the future means now. */
    JobClient at(Instant time);

    /**
     * Returns a client whose bulk calls schedule each job at a time of its own: the first job at the first time, and so
     * on. A time that is not in the future means now. A call needs as many times as jobs, and throws
     * {@link InvalidJobException} otherwise: at once if the jobs come as a {@link Collection}, else at the first job
     * without a time, or at the end for times without a job; the slices stored before that stay stored. Calls that
     * enqueue a single job throw as well.
     *
     * <pre>{@code
     * jobs.atEach(List.of(tonight, tomorrow)).enqueueAll(Emails::remind,
     *         List.of("bob@example.com", "eve@example.com"));
     * }</pre>
     *
     * @throws InvalidJobException if one of the times is null
     */
    JobClient atEach(Collection<Instant> times);

    /**
     * Returns a client whose jobs wait for the given time, counted from each call; zero or less means not at all. A
     * delay that ends beyond the range of {@link Instant} is refused when a job is enqueued.
     */
    JobClient in(Duration delay);

    /**
     * Returns a client whose jobs each wait for a random part of the interval, so that many jobs don't become due at
     * the same instant. The interval begins at the time given by {@link #at} or {@link #atEach}, at the end of
     * {@link #in}, or else at the call.
     *
     * @param interval at most 366 days; zero or less means not at all
     * @throws InvalidJobException if it is longer
     */
    JobClient spread(Duration interval);

    /**
     * Returns a client whose jobs go to the given queue.
     *
     * @param queue 1 to 128 letters, digits and the characters {@code _ . : -}
     * @throws InvalidJobException if it is something else
     */
    JobClient queue(String queue);

    /**
     * Returns a client whose jobs are retried the given number of times.
     *
     * @param retries 0 to 1,000, {@link Job#NONE} or {@link Job#DEFAULT}; see {@link Job#retry()}
     * @throws InvalidJobException if it is something else
     */
    JobClient retry(int retries);

    /**
     * Returns a client whose failed jobs are retried when this rule says, and as often if it says that, in place of
     * what their annotations and every {@link RetryPolicy} say.
     */
    default JobClient retry(RetryRule rule) {
        return rule.on(this);
    }

    /**
     * Returns a client whose jobs have their arguments encrypted where they are stored, as those of methods with {@link
     * Encrypted} have: for jobs by name that only another application knows. Needs a key here and there.
     */
    JobClient encrypted();

    /**
     * Returns a client whose jobs expire: one that no worker has begun that long after its due time, a retry included,
     * is not run and kept nowhere. Workers compare with their own clocks. See {@link Job#expiresIn()}.
     *
     * @param time 1 ms to 1,000,000,000 s
     * @throws InvalidJobException if it is out of range
     */
    JobClient expiresIn(Duration time);

    /**
     * Returns a client whose jobs may take that long in each execution, instead of what the annotation or the worker
     * says; see {@link Job#timeout()}.
     *
     * @param timeout 1 ms to 1,000,000,000 s
     * @throws InvalidJobException if it is out of range
     */
    JobClient timeout(Duration timeout);

    /**
     * Returns a client whose jobs leave their result in Redis for that long after their end, also those that are
     * enqueued, for {@link #result}.
     *
     * @param time 1 s to 30 days
     * @throws InvalidJobException if the time is out of range
     */
    JobClient keepResult(Duration time);

    /**
     * Returns a client whose jobs are unique: a job is not stored, and its call returns null, while another one with
     * the same wire name and key is pending. What {@link Unique} says of the job applies, except for the key; without
     * the annotation its defaults do.
     *
     * @param key as {@link Unique#key} would make it of the arguments, such as {@code shop:5}
     */
    JobClient unique(String key);

    /**
     * Returns a client whose jobs count for this limit as well; see {@link Limit}. Call it again for another one, three
     * times at most. How many such jobs may run at once is what workers define for the name; without a definition,
     * any number.
     *
     * @param name the limit's name
     * @param key what is limited, such as {@code shop:5}; may be empty
     * @throws InvalidJobException if the name can't be that of a limit, or if it is the fourth limit of the call
     */
    JobClient limit(String name, String key);

    /**
     * Returns a client whose jobs belong to this key, such as {@code tenant-7}: in a fair queue the keys of jobs take
     * turns. Overrides {@link Job#key}. Other queues ignore it.
     *
     * @param key at most 200 characters, none of them a control character; all jobs with an empty key, and those
     *     without any, belong together
     * @throws InvalidJobException if it can't be a key
     */
    JobClient key(String key);

    /**
     * Returns a client whose jobs have this priority: in a queue that is ordered by priority they are taken as if they
     * had been enqueued that many steps earlier. Overrides {@link Job#priority}. Other queues ignore it.
     *
     * @param priority -100 to 100; jobs without one have 0
     * @throws InvalidJobException if it is out of range
     */
    JobClient priority(int priority);

    /**
     * Returns a client whose jobs are stored once in each period: a job is not stored, and its call returns null, if
     * one with the same wire name and key was stored less than a period ago, whether that has ended or not.
     *
     * @param key any text, such as {@code shop:5}
     * @param period 1 ms to 1,000,000,000 s
     * @throws InvalidJobException if the period is out of range
     */
    JobClient throttle(String key, Duration period);

    /**
     * Like {@link #throttle}, except that the last job of a period is not lost: it waits in the scheduled set until the
     * period ends, and begins the next one. A job that waits so is replaced by that of a later call.
     */
    JobClient throttleKeepingLast(String key, Duration period);

    /**
     * Returns a client whose jobs wait until calls with the same wire name and key pause: while a job waits in the
     * scheduled set, that of a later call takes its place, and waits anew. The times count from the calls by the clock
     * of Redis, and replace those of {@link #at} and {@link #in}. Jobs that are {@linkplain Unique unique} are refused.
     *
     * @param key any text, such as {@code reindex:5}
     * @param pause how long a job waits after the last call, 1 ms to 1,000,000,000 s
     * @param atMost how long jobs wait after the first of these calls at most, however many follow; not less than
     *     {@code pause}
     * @throws InvalidJobException if a time is out of range
     */
    JobClient debounce(String key, Duration pause, Duration atMost);

    /** Returns a client whose jobs carry these labels, instead of those of the annotation. */
    JobClient tags(String... tags);

    /**
     * Returns a client whose jobs have one more member in their payload, such as {@code retry_for} or one of your own.
     *
     * @param value null, text, a boolean, a number, or a collection or map of these
     * @throws InvalidJobException if the member is one that every job gets individually, such as {@code jid}, or if the
     *     value has no JSON form
     */
    JobClient with(String member, @Nullable Object value);

    /**
     * Returns a client whose calls store their jobs themselves, also in a transaction: the jobs may run before its
     * commit, and after its rollback.
     */
    JobClient now();

    /**
     * Enqueues a job by its wire name. This application need not know the job. If it does, text, numbers, lists and
     * maps stand for their JSON, and other arguments have to arrive as they are.
     *
     * @return the jid, or null if a middleware or a lock kept the job from being stored
     * @throws InvalidJobException if JSON can't carry an argument, or if this application knows the job and the job
     *     takes fewer arguments, can't read one, or would get another value
     */
    @Nullable String enqueue(String name, @Nullable Object... arguments);

    /**
     * Enqueues one job for each list of arguments. Jobs are sent in slices of up to 1,000; if one fails, the earlier
     * ones stay stored, and {@link BulkEndedException#of} says which jobs of the call they are.
     *
     * @return the jids in the order of the input, null where a middleware or a lock kept a job from being stored
     */
    List<@Nullable String> enqueueAll(String name, Iterable<? extends List<? extends @Nullable Object>> argumentLists);

    /**
     * Stores a raw Sidekiq payload.
     *
     * @param payload at least {@code class} and {@code args}. Its members override the client's options; {@code jid},
     *     {@code created_at}, {@code queue} and {@code retry} are added if missing, and a number {@code at} (epoch
     *     seconds) schedules the job. An {@code at} below 1,000,000,000 counts seconds from now; a time that is not
     *     in the future means now
     * @return the jid, or null if a middleware or a lock kept the job from being stored
     */
    @Nullable String push(Map<String, ? extends @Nullable Object> payload);

    /**
     * Cancels a job. Workers notice within about two seconds. A job that waits then, in its queue, for its time or for
     * a retry, is not run when a worker takes it. A running job sees {@link JobContext#isCancelled()}, and is
     * interrupted if it is {@link Job#interruptible}; what it throws from then on is no failure and is not retried, and
     * if it returns, it is done. An iterable job (one whose method returns an {@link Iteration}) ends before its next
     * element, as if it were complete; Ruby's workers heed that, too.
     *
     * <p>The call says only that the cancellation is stored: nothing looks for the job, which may have ended, or may
     * not exist yet. It is stored at once, also in a transaction, and kept for 30 days unless the job ends before. It
     * is forgotten, too, when somebody runs the job again from the dead set. One that comes too late for a job that is done stays, and ends the next job with the same jid.
     *
     * @param jid 1 to 1,000 characters, not blank
     * @return when the job was cancelled, to the second; earlier than now if it had been cancelled before
     * @throws InvalidJobException if no job can have that jid
     * @throws JobsException if 200,000 cancelled jobs have not ended
     */
    Instant cancel(String jid);
}
