package dev.jobs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues many jobs whose ends the caller wants to know: {@link MethodEnqueuer#enqueueAll} with handles. Use it as a
 * {@link JobClient}.
 *
 * <pre>{@code
 * List<JobHandle<Report>> handles = jobs.submitAll(Reports::build, accounts);
 * for (JobResult<Report> result : JobHandle.awaitAll(handles, Duration.ofMinutes(1))) {
 *     show(result);
 * }
 * }</pre>
 *
 * <p>The handles are in the order of the input. That of a job that a middleware or a lock kept from being stored isn't
 * {@linkplain JobHandle#isAccepted accepted}. Slices, options and errors are those of
 * {@link JobClient#enqueueAll(String, Iterable)}; if the call fails, {@link BulkEndedException#of} names the jobs that
 * are stored, whose results can be {@linkplain JobSubmitter#result read} by their jids.
 */
@SuppressWarnings(
        "overloads") // for lambdas, which are refused; a reference to a method fits the more specific overload
public interface BulkSubmitter {

    /**
     * Enqueues one job for each list of arguments. This application need not know the job.
     *
     * @param type what to read the values as that the jobs return; {@code Void.class} if they return none
     */
    <V> List<JobHandle<V>> submitAll(
            String name, Class<V> type, Iterable<? extends List<? extends @Nullable Object>> argumentLists);

    /**
     * Enqueues one job for each list of arguments, with arguments and a result that the compiler has not checked. The
     * typed methods below call this one.
     *
     * @throws InvalidJobException as {@link JobClient#enqueueMethod} does
     */
    <V extends @Nullable Object> List<JobHandle<V>> submitAllMethod(
            JobMethod method, Iterable<? extends List<? extends @Nullable Object>> argumentLists);

    /** Enqueues one job without a value for each element, which is its only argument. */
    default <T, A extends @Nullable Object> List<JobHandle<@Nullable Void>> submitAll(
            JobMethod.P1<T, A> method, Iterable<? extends A> arguments) {
        return submitAllMethod(method, OfKnownSize.eachAlone(arguments));
    }

    /** Enqueues one job without a value for each element, which is its only argument. */
    default <T, A extends @Nullable Object> List<JobHandle<@Nullable Void>> submitAll(
            JobMethod.C1<T, A> method, Iterable<? extends A> arguments) {
        return submitAllMethod(method, OfKnownSize.eachAlone(arguments));
    }

    /** Enqueues one job that returns a value for each element, which is its only argument. */
    default <T, A extends @Nullable Object, V extends @Nullable Object> List<JobHandle<V>> submitAll(
            JobMethod.R1<T, A, V> method, Iterable<? extends A> arguments) {
        return submitAllMethod(method, OfKnownSize.eachAlone(arguments));
    }

    /** Enqueues one job that returns a value for each element, which is its only argument. */
    default <T, A extends @Nullable Object, V extends @Nullable Object> List<JobHandle<V>> submitAll(
            JobMethod.RC1<T, A, V> method, Iterable<? extends A> arguments) {
        return submitAllMethod(method, OfKnownSize.eachAlone(arguments));
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> List<JobHandle<?>> submitAll(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a) {
        throw JobCall.misfit(method);
    }
}
