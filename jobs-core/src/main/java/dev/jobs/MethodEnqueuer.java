package dev.jobs;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs by reference to their methods, with the compiler's check of the arguments. All overloads call {@link
 * #enqueueMethod} or {@link #enqueueAllMethod}. Use it as a {@link JobClient}.
 */
public interface MethodEnqueuer {

    /**
     * Enqueues a job by method reference, with arguments that the compiler has not checked. The typed methods below
     * call this one.
     *
     * @return the jid, or null if a middleware or a lock kept the job from being stored
     * @throws InvalidJobException if the reference doesn't name exactly one {@link Job} method of this application, if
     *     the method takes fewer arguments, or if it would get another value than one of them
     */
    @Nullable String enqueueMethod(JobMethod method, List<? extends @Nullable Object> arguments);

    /** Enqueues jobs in bulk by method reference; see {@link JobClient#enqueueAll(String, Iterable)}. */
    List<@Nullable String> enqueueAllMethod(
            JobMethod method, Iterable<? extends List<? extends @Nullable Object>> argumentLists);

    /**
     * Enqueues one job for each element, with the element as its only argument; see
     * {@link JobClient#enqueueAll(String, Iterable)}.
     */
    default <T, A extends @Nullable Object> List<@Nullable String> enqueueAll(
            JobMethod.P1<T, A> method, Iterable<? extends A> arguments) {
        return enqueueAllMethod(method, JobCall.eachAlone(arguments));
    }

    /**
     * Enqueues one job for each element, with the element as its only argument; see
     * {@link JobClient#enqueueAll(String, Iterable)}.
     */
    default <T, A extends @Nullable Object> List<@Nullable String> enqueueAll(
            JobMethod.C1<T, A> method, Iterable<? extends A> arguments) {
        return enqueueAllMethod(method, JobCall.eachAlone(arguments));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <T> @Nullable String enqueue(JobMethod.P0<T> method) {
        return enqueueMethod(method, List.of());
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <T> @Nullable String enqueue(JobMethod.C0<T> method) {
        return enqueueMethod(method, List.of());
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <T, A extends @Nullable Object> @Nullable String enqueue(JobMethod.P1<T, A> method, A a) {
        return enqueueMethod(method, Collections.singletonList(a));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <T, A extends @Nullable Object> @Nullable String enqueue(JobMethod.C1<T, A> method, A a) {
        return enqueueMethod(method, Collections.singletonList(a));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <T, A extends @Nullable Object, B extends @Nullable Object> @Nullable String enqueue(
            JobMethod.P2<T, A, B> method, A a, B b) {
        return enqueueMethod(method, Arrays.asList(a, b));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <T, A extends @Nullable Object, B extends @Nullable Object> @Nullable String enqueue(
            JobMethod.C2<T, A, B> method, A a, B b) {
        return enqueueMethod(method, Arrays.asList(a, b));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> @Nullable String enqueue(JobMethod.P3<T, A, B, C> method, A a, B b, C c) {
        return enqueueMethod(method, Arrays.asList(a, b, c));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> @Nullable String enqueue(JobMethod.C3<T, A, B, C> method, A a, B b, C c) {
        return enqueueMethod(method, Arrays.asList(a, b, c));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            @Nullable String enqueue(JobMethod.P4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return enqueueMethod(method, Arrays.asList(a, b, c, d));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            @Nullable String enqueue(JobMethod.C4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return enqueueMethod(method, Arrays.asList(a, b, c, d));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            @Nullable String enqueue(JobMethod.P5<T, A, B, C, D, E> method, A a, B b, C c, D d, E e) {
        return enqueueMethod(method, Arrays.asList(a, b, c, d, e));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            @Nullable String enqueue(JobMethod.C5<T, A, B, C, D, E> method, A a, B b, C c, D d, E e) {
        return enqueueMethod(method, Arrays.asList(a, b, c, d, e));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            @Nullable String enqueue(JobMethod.P6<T, A, B, C, D, E, F> method, A a, B b, C c, D d, E e, F f) {
        return enqueueMethod(method, Arrays.asList(a, b, c, d, e, f));
    }

    /** Enqueues a job by method reference; returns and throws as {@link #enqueueMethod} does. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            @Nullable String enqueue(JobMethod.C6<T, A, B, C, D, E, F> method, A a, B b, C c, D d, E e, F f) {
        return enqueueMethod(method, Arrays.asList(a, b, c, d, e, f));
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> @Nullable String enqueue(
            ArgumentsDoNotFitTheParameters method) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> @Nullable String enqueue(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> @Nullable String enqueue(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a, @Nullable Object b) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> @Nullable String enqueue(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a, @Nullable Object b, @Nullable Object c) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> @Nullable String enqueue(
            ArgumentsDoNotFitTheParameters method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> @Nullable String enqueue(
            ArgumentsDoNotFitTheParameters method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d,
            @Nullable Object e) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> @Nullable String enqueue(
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
    default <MoreThanSixArgumentsNeedARecord extends JobMethod> @Nullable String enqueue(
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

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    default <ArgumentsDoNotFitTheParameters extends JobMethod> List<@Nullable String> enqueueAll(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a) {
        throw JobCall.misfit(method);
    }
}
