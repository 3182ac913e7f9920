package dev.jobs;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The recurring jobs of a namespace, which are stored as Ruby's sidekiq-cron stores them: it sees and fires those made here, and those that
 * it made are seen and fired here. Safe for use by many threads.
 *
 * <p>Workers fire them: at each of its times, a slot, a recurring job is enqueued exactly once, whoever notices. If nobody is there at a slot,
 * it is made up for within the grace ({@code jobs.recurring.grace}), and of several missed ones only the last.
 *
 * <p>{@link CronSchedule} says what cron texts mean, and {@code CronSchedule.parse(text).next(Instant.now(), 20)} shows it before one is saved. Those
 * that {@link Job#cron()} declares are saved whenever a worker starts: what was changed of them here is changed back then, but they stay
 * paused.
 *
 * <p>Every call throws {@link JobStoreException} when Redis can't be reached or refuses.
 */
public interface RecurringJobs {

    /**
     * One time that it was fired.
     *
     * @param jid the id of the job, or null if the entry has none
     * @param enqueued when, to the second, or null if the entry doesn't say
     */
    record Run(@Nullable String jid, @Nullable Instant enqueued) {}

    /**
     * Creates a recurring job, or changes the one of that name. Whether it is paused stays as it is, and so do fields that others stored. A
     * new one, and one with a new cron text, is first fired at its next slot.
     *
     * @param name 1 to 200 characters
     * @param job the name of the job that is enqueued, also one that isn't known here
     * @throws InvalidCronException if the cron text or the zone can't be used
     * @throws InvalidJobException if the job can't be enqueued so
     */
    RecurringJob save(String name, Recurrence recurrence, String job, @Nullable Object... arguments);

    /** Creates or changes a recurring job by a method reference whose arguments nobody checked; the typed methods below end here. */
    RecurringJob saveMethod(
            String name, Recurrence recurrence, JobMethod method, List<? extends @Nullable Object> arguments);

    /** Creates or changes a recurring job by a reference to its method. */
    default <T> RecurringJob save(String name, Recurrence recurrence, JobMethod.P0<T> method) {
        return saveMethod(name, recurrence, method, List.of());
    }

    /** Creates or changes a recurring job by a reference to its method. */
    default <T> RecurringJob save(String name, Recurrence recurrence, JobMethod.C0<T> method) {
        return saveMethod(name, recurrence, method, List.of());
    }

    /** Creates or changes a recurring job by a reference to its method. */
    default <T, A extends @Nullable Object> RecurringJob save(
            String name, Recurrence recurrence, JobMethod.P1<T, A> method, A a) {
        return saveMethod(name, recurrence, method, Collections.singletonList(a));
    }

    /** Creates or changes a recurring job by a reference to its method. */
    default <T, A extends @Nullable Object> RecurringJob save(
            String name, Recurrence recurrence, JobMethod.C1<T, A> method, A a) {
        return saveMethod(name, recurrence, method, Collections.singletonList(a));
    }

    /** Creates or changes a recurring job by a reference to its method. */
    default <T, A extends @Nullable Object, B extends @Nullable Object> RecurringJob save(
            String name, Recurrence recurrence, JobMethod.P2<T, A, B> method, A a, B b) {
        return saveMethod(name, recurrence, method, Arrays.asList(a, b));
    }

    /** Creates or changes a recurring job by a reference to its method. */
    default <T, A extends @Nullable Object, B extends @Nullable Object> RecurringJob save(
            String name, Recurrence recurrence, JobMethod.C2<T, A, B> method, A a, B b) {
        return saveMethod(name, recurrence, method, Arrays.asList(a, b));
    }

    /** All of them by name, at most 10,000; those that can't be read are left out. */
    List<RecurringJob> list();

    /** The one of that name. */
    Optional<RecurringJob> find(String name);

    /** The next times at which it is due, 1 to 100 of them; none if its cron text is not understood. */
    List<Instant> next(RecurringJob job, int count);

    /** The last times that it was fired, at most ten, newest first. */
    List<Run> history(String name);

    /** Lets it miss its slots until it is resumed, in Ruby too. Returns whether there is one of that name. */
    boolean pause(String name);

    /** Lets it be fired again, from its next slot on. Returns whether there is one of that name. */
    boolean resume(String name);

    /**
     * Fires it now, paused or not. Its next slots stay as they are.
     *
     * @return the id of the job, or null if an {@link EnqueueMiddleware} kept it from being stored
     * @throws InvalidJobException if there is no recurring job of that name, or if what is stored is no job
     */
    @Nullable String runNow(String name);

    /** Deletes it with its history. Returns whether there was one of that name. A declared one comes back when a worker starts. */
    boolean delete(String name);
}
