package dev.jobs.recurring;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobStoreException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The recurring jobs of a namespace, stored as Ruby's sidekiq-cron stores them: Ruby sees and fires the ones created
 * here, and Java sees and fires the ones created by Ruby. Safe for use by many threads.
 *
 * <p>Workers fire recurring jobs: at each of its times, called slots, a recurring job is enqueued exactly once, however
 * many workers there are. If no worker runs at a slot, the slot is made up for as {@link Recurrence#missed} says: by
 * default within the grace ({@code jobs.recurring.grace}, 1 minute by default), and of several only the last one.
 *
 * <p>{@link CronSchedule} documents cron texts; {@code CronSchedule.parse(text).next(Instant.now(), 20)} shows the
 * slots of one before it is saved. The recurring jobs that {@link Job#cron()} declares are saved whenever a worker
 * starts: that reverts changes made to them here, but keeps them paused.
 *
 * <p>Every call throws {@link JobStoreException} if Redis can't be reached or refuses.
 */
public interface RecurringJobs {

    /**
     * One firing of a recurring job.
     *
     * @param jid the id of the enqueued job, or null if the entry has none
     * @param enqueued when it was enqueued, to the second, or null if the entry doesn't say
     */
    record Run(@Nullable String jid, @Nullable Instant enqueued) {}

    /**
     * Creates a recurring job, or changes the one of that name. A paused job stays paused, and fields stored by other
     * programs are kept. A new job, and one with a new cron text, is first fired at its next slot.
     *
     * @param name 1 to 200 characters, without control characters
     * @param call the job to enqueue, with its arguments but without options: the queue is that of the recurrence
     * @return the recurring job as stored
     * @throws InvalidCronException if the cron text or the zone can't be used
     * @throws InvalidJobException if the job can't be enqueued with these arguments
     */
    RecurringJob save(String name, Recurrence recurrence, JobCall call);

    /**
     * Creates a recurring job as {@link #save} does, unless there is one of that name.
     *
     * @return whether it was created
     * @throws InvalidCronException if the cron text or the zone can't be used
     * @throws InvalidJobException if the job can't be enqueued with these arguments
     */
    boolean create(String name, Recurrence recurrence, JobCall call);

    /** All recurring jobs by name, at most 10,000; unreadable ones are left out. */
    List<RecurringJob> list();

    /** What starts of applications changed about the recurring jobs that these declare: the last ten, newest first. */
    List<DeclaredChanges> declaredChanges();

    /** Finds the recurring job of that name. */
    Optional<RecurringJob> find(String name);

    /**
     * The next slots of a recurring job; none if its cron text can't be parsed. A job with a fixed delay has one at most,
     * which may have passed, and none before the job of the last one has ended.
     *
     * @param count 1 to 100
     */
    List<Instant> next(RecurringJob job, int count);

    /** The last firings, at most ten, newest first. */
    List<Run> history(String name);

    /**
     * Pauses a recurring job: neither Java nor Ruby fires it at its slots until it is resumed.
     *
     * @return whether there is one of that name
     */
    boolean pause(String name);

    /**
     * Resumes a paused recurring job, from its next slot.
     *
     * @return whether there is one of that name
     */
    boolean resume(String name);

    /**
     * Fires a recurring job now, paused or not. Its next slots stay unchanged.
     *
     * @return the id of the enqueued job, or null if an {@link EnqueueMiddleware} kept it from being stored, or an earlier
     *     one that has not ended, as the {@link Overlap} of the recurring job says
     * @throws InvalidJobException if there is no recurring job of that name, or if the stored fields don't make a job
     */
    @Nullable String runNow(String name);

    /**
     * Deletes a recurring job with its history. A declared one comes back when a worker starts.
     *
     * @return whether there was one of that name
     */
    boolean delete(String name);

    /**
     * Keeps a copy of a recurring job for a day, so that a change or its deletion can be undone.
     *
     * @return the id of the copy, or null if there is no recurring job of that name
     */
    @Nullable String keep(String name);

    /**
     * Makes a recurring job what it was when a copy of it was kept, also if it was deleted since. If it was deleted, or had
     * another schedule meanwhile, it begins with its next slot, and a delay begins now; else its slots go on as they are.
     * One that is there stays paused if it is.
     *
     * @param copy as {@link #keep} returned it
     * @return whether there still was that copy
     */
    boolean restore(String name, String copy);
}
