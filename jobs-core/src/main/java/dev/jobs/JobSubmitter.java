package dev.jobs;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs whose end the caller wants to know, and reads results. Use it as a {@link JobClient}.
 *
 * <pre>{@code
 * JobHandle<Report> handle = jobs.submit(Reports::build, 5L);
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
     * Enqueues a job by its wire name. This application need not know the job.
     *
     * @param type what to read the value as that the job returns; {@code Void.class} if it returns none
     */
    <V> JobHandle<V> submit(String name, Class<V> type, @Nullable Object... arguments);

    /**
     * Enqueues a job by method reference, with arguments and a result that the compiler has not checked. The typed
     * methods below call this one.
     *
     * @throws InvalidJobException as {@link JobClient#enqueueMethod} does
     */
    <V extends @Nullable Object> JobHandle<V> submitMethod(
            JobMethod method, List<? extends @Nullable Object> arguments);

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <T> JobHandle<@Nullable Void> submit(JobMethod.P0<T> method) {
        return submitMethod(method, List.of());
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <T> JobHandle<@Nullable Void> submit(JobMethod.C0<T> method) {
        return submitMethod(method, List.of());
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <T, V extends @Nullable Object> JobHandle<V> submit(JobMethod.R0<T, V> method) {
        return submitMethod(method, List.of());
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <T, V extends @Nullable Object> JobHandle<V> submit(JobMethod.RC0<T, V> method) {
        return submitMethod(method, List.of());
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object> JobHandle<@Nullable Void> submit(JobMethod.P1<T, A> method, A a) {
        return submitMethod(method, Collections.singletonList(a));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object> JobHandle<@Nullable Void> submit(JobMethod.C1<T, A> method, A a) {
        return submitMethod(method, Collections.singletonList(a));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object, V extends @Nullable Object> JobHandle<V> submit(
            JobMethod.R1<T, A, V> method, A a) {
        return submitMethod(method, Collections.singletonList(a));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object, V extends @Nullable Object> JobHandle<V> submit(
            JobMethod.RC1<T, A, V> method, A a) {
        return submitMethod(method, Collections.singletonList(a));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object, B extends @Nullable Object> JobHandle<@Nullable Void> submit(
            JobMethod.P2<T, A, B> method, A a, B b) {
        return submitMethod(method, Arrays.asList(a, b));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object, B extends @Nullable Object> JobHandle<@Nullable Void> submit(
            JobMethod.C2<T, A, B> method, A a, B b) {
        return submitMethod(method, Arrays.asList(a, b));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object, B extends @Nullable Object, V extends @Nullable Object> JobHandle<V> submit(
            JobMethod.R2<T, A, B, V> method, A a, B b) {
        return submitMethod(method, Arrays.asList(a, b));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object, B extends @Nullable Object, V extends @Nullable Object> JobHandle<V> submit(
            JobMethod.RC2<T, A, B, V> method, A a, B b) {
        return submitMethod(method, Arrays.asList(a, b));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            JobHandle<@Nullable Void> submit(JobMethod.P3<T, A, B, C> method, A a, B b, C c) {
        return submitMethod(method, Arrays.asList(a, b, c));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            JobHandle<@Nullable Void> submit(JobMethod.C3<T, A, B, C> method, A a, B b, C c) {
        return submitMethod(method, Arrays.asList(a, b, c));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    V extends @Nullable Object>
            JobHandle<V> submit(JobMethod.R3<T, A, B, C, V> method, A a, B b, C c) {
        return submitMethod(method, Arrays.asList(a, b, c));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    V extends @Nullable Object>
            JobHandle<V> submit(JobMethod.RC3<T, A, B, C, V> method, A a, B b, C c) {
        return submitMethod(method, Arrays.asList(a, b, c));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            JobHandle<@Nullable Void> submit(JobMethod.P4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return submitMethod(method, Arrays.asList(a, b, c, d));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            JobHandle<@Nullable Void> submit(JobMethod.C4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return submitMethod(method, Arrays.asList(a, b, c, d));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    V extends @Nullable Object>
            JobHandle<V> submit(JobMethod.R4<T, A, B, C, D, V> method, A a, B b, C c, D d) {
        return submitMethod(method, Arrays.asList(a, b, c, d));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    V extends @Nullable Object>
            JobHandle<V> submit(JobMethod.RC4<T, A, B, C, D, V> method, A a, B b, C c, D d) {
        return submitMethod(method, Arrays.asList(a, b, c, d));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            JobHandle<@Nullable Void> submit(JobMethod.P5<T, A, B, C, D, E> method, A a, B b, C c, D d, E e) {
        return submitMethod(method, Arrays.asList(a, b, c, d, e));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            JobHandle<@Nullable Void> submit(JobMethod.C5<T, A, B, C, D, E> method, A a, B b, C c, D d, E e) {
        return submitMethod(method, Arrays.asList(a, b, c, d, e));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    V extends @Nullable Object>
            JobHandle<V> submit(JobMethod.R5<T, A, B, C, D, E, V> method, A a, B b, C c, D d, E e) {
        return submitMethod(method, Arrays.asList(a, b, c, d, e));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    V extends @Nullable Object>
            JobHandle<V> submit(JobMethod.RC5<T, A, B, C, D, E, V> method, A a, B b, C c, D d, E e) {
        return submitMethod(method, Arrays.asList(a, b, c, d, e));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            JobHandle<@Nullable Void> submit(JobMethod.P6<T, A, B, C, D, E, F> method, A a, B b, C c, D d, E e, F f) {
        return submitMethod(method, Arrays.asList(a, b, c, d, e, f));
    }

    /** Enqueues a job without a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            JobHandle<@Nullable Void> submit(JobMethod.C6<T, A, B, C, D, E, F> method, A a, B b, C c, D d, E e, F f) {
        return submitMethod(method, Arrays.asList(a, b, c, d, e, f));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object,
                    V extends @Nullable Object>
            JobHandle<V> submit(JobMethod.R6<T, A, B, C, D, E, F, V> method, A a, B b, C c, D d, E e, F f) {
        return submitMethod(method, Arrays.asList(a, b, c, d, e, f));
    }

    /** Enqueues a job that returns a value; see {@link #submitMethod}. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object,
                    V extends @Nullable Object>
            JobHandle<V> submit(JobMethod.RC6<T, A, B, C, D, E, F, V> method, A a, B b, C c, D d, E e, F f) {
        return submitMethod(method, Arrays.asList(a, b, c, d, e, f));
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> JobHandle<?> submit(
            ArgumentsDoNotFitTheParameters method) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> JobHandle<?> submit(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> JobHandle<?> submit(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a, @Nullable Object b) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> JobHandle<?> submit(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a, @Nullable Object b, @Nullable Object c) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> JobHandle<?> submit(
            ArgumentsDoNotFitTheParameters method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> JobHandle<?> submit(
            ArgumentsDoNotFitTheParameters method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d,
            @Nullable Object e) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> JobHandle<?> submit(
            ArgumentsDoNotFitTheParameters method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d,
            @Nullable Object e,
            @Nullable Object f) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <MoreThanSixArgumentsNeedARecord extends JobMethod> JobHandle<?> submit(
            MoreThanSixArgumentsNeedARecord method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d,
            @Nullable Object e,
            @Nullable Object f,
            @Nullable Object g,
            @Nullable Object... more) {
        throw JobCall.misfit(method);
    }
}
