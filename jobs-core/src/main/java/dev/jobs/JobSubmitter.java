package dev.jobs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs whose end the caller wants to know, and reads results. Use it as a {@link JobClient}.
 *
 * <pre>{@code
 * JobHandle<Report> handle = jobs.submit(JobCall.of(Reports::build, 5L), Report.class);
 * JobResult<Report> result = handle.await(Duration.ofSeconds(30));
 * if (result.state() == JobResult.State.SUCCEEDED) {
 *     show(result.value());
 * }
 * }</pre>
 *
 * <p>What a submitted job returns, or how it ended without, is kept in Redis for some time (one hour, unless
 * {@code jobs.results.keep} or {@link JobClient#keepResult} say otherwise), at most 64 KB of JSON. In all other ways a
 * submitted job is like an enqueued one: the client's options apply, in a transaction it is stored after the commit,
 * and the calls throw what those of {@link JobClient} throw.
 */
@SuppressWarnings(
        "overloads") // for lambdas, which are refused; a reference to a method fits the more specific overload
public interface JobSubmitter {

    /**
     * The result of a job whose result is kept, for callers that have no {@link JobHandle}.
     *
     * @param type what to read the value as
     * @return {@link JobResult.State#UNKNOWN} if nothing is stored: the job has not ended, its result isn't kept or
     *     expired, or there is no such job; {@link JobResult.State#PENDING} if the job was revived after its end
     * @throws JobStoreException if Redis can't be reached
     */
    <V> JobResult<V> result(String jid, Class<V> type);

    /**
     * Enqueues a job with the options of the client and of the call.
     *
     * @param type the class of what the job returns; {@code Void.class} if it returns nothing. A method in this
     *     application says more than that: what its {@code List<Report>} returned is a list of reports
     */
    <V> JobHandle<V> submit(JobCall call, Class<V> type);

    /** Enqueues a job by its wire name; see {@link #submit(JobCall, Class)}. This application need not know the job. */
    default <V> JobHandle<V> submit(String name, Class<V> type, @Nullable Object... arguments) {
        return submit(JobCall.named(name, arguments), type);
    }

    /**
     * Enqueues one job for each list of arguments. This application need not know the job. Slices, options and errors
     * are those of {@link JobClient#enqueueAll(String, Iterable)}; if the call fails, {@link BulkEndedException#of} names
     * the jobs that are stored, whose results can be {@linkplain #result read} by their jids.
     *
     * @param type the class of what the jobs return; {@code Void.class} if they return nothing
     * @return in the order of the arguments. That of a job that a middleware or a lock kept from being stored isn't
     *     {@linkplain JobHandle#isAccepted accepted}
     */
    <V> List<JobHandle<V>> submitAll(
            String name, Class<V> type, Iterable<? extends List<? extends @Nullable Object>> argumentLists);

    /** The same for a method, with arguments that the compiler has not checked. */
    <V> List<JobHandle<V>> submitAllMethod(
            JobMethod method, Class<V> type, Iterable<? extends List<? extends @Nullable Object>> argumentLists);

    /** The same for a method with one argument, and one job for each element. */
    default <T, A extends @Nullable Object, V> List<JobHandle<V>> submitAll(
            JobMethod.P1<T, A> method, Class<V> type, Iterable<? extends A> arguments) {
        return submitAllMethod(method, type, JobCall.eachAlone(arguments));
    }

    /** The same for a method with one argument and a {@link JobContext}, and one job for each element. */
    default <T, A extends @Nullable Object, V> List<JobHandle<V>> submitAll(
            JobMethod.C1<T, A> method, Class<V> type, Iterable<? extends A> arguments) {
        return submitAllMethod(method, type, JobCall.eachAlone(arguments));
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod, V> List<JobHandle<V>> submitAll(
            ArgumentsDoNotFitTheParameters method, Class<V> type, @Nullable Object a) {
        throw JobCall.misfit(method);
    }
}
