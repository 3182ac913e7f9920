package dev.jobs;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A reference to a {@link Job} method, such as {@code Emails::welcome}.
 *
 * <p>There is one functional interface per number of arguments (0 to 6), with and without a {@link JobContext} at the
 * end, so that the compiler checks the arguments against the method. The reference is never called: it is serializable,
 * and its serialized form names the method.
 *
 * <p>If the compiler refuses a call, its message names the reason:
 *
 * <ul>
 *   <li>{@code ArgumentsDoNotFitTheParameters}: the method has more or fewer parameters, or an argument has another
 *       type. A {@code long} takes {@code 5L}, not {@code 5}, and a {@code double} takes {@code 5.0}.
 *   <li>{@code MoreThanSixArgumentsNeedARecord}: let the job take a record, whose components also have names in the
 *       stored JSON. Or enqueue it by its wire name, without a check of the arguments.
 *   <li>{@code no suitable method found} or {@code reference to enqueue is ambiguous}, and {@code invalid method
 *       reference}, with several methods of that name: a reference doesn't say which overload it means. Give the job
 *       method a name that no other method of its class has, or enqueue it by its wire name. A variable makes the
 *       choice, too: {@code JobMethod.P2<Emails, String, Integer> send = Emails::send}.
 *   <li>{@code reference to enqueue is ambiguous}, with a method with variable arguments: a variable says that they are
 *       one array, {@code JobMethod.P1<Emails, String[]> send = Emails::send}.
 * </ul>
 *
 * <p>The compiler turns some references into lambdas, which can't be enqueued: those whose variable arguments are not
 * passed as one array, and those to a method that is inherited from a class that is not public, in another package. A
 * job of such a method is enqueued by its wire name.
 */
public interface JobMethod extends Serializable {

    /** A method with no arguments. */
    @FunctionalInterface
    interface P0<T> extends JobMethod {
        void perform(T target) throws Exception;
    }

    /** A method with no arguments and a {@link JobContext}. */
    @FunctionalInterface
    interface C0<T> extends JobMethod {
        void perform(T target, JobContext job) throws Exception;
    }

    /** A method with one argument. */
    @FunctionalInterface
    interface P1<T, A extends @Nullable Object> extends JobMethod {
        void perform(T target, A a) throws Exception;
    }

    /** A method with one argument and a {@link JobContext}. */
    @FunctionalInterface
    interface C1<T, A extends @Nullable Object> extends JobMethod {
        void perform(T target, A a, JobContext job) throws Exception;
    }

    /** A method with two arguments. */
    @FunctionalInterface
    interface P2<T, A extends @Nullable Object, B extends @Nullable Object> extends JobMethod {
        void perform(T target, A a, B b) throws Exception;
    }

    /** A method with two arguments and a {@link JobContext}. */
    @FunctionalInterface
    interface C2<T, A extends @Nullable Object, B extends @Nullable Object> extends JobMethod {
        void perform(T target, A a, B b, JobContext job) throws Exception;
    }

    /** A method with three arguments. */
    @FunctionalInterface
    interface P3<T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            extends JobMethod {
        void perform(T target, A a, B b, C c) throws Exception;
    }

    /** A method with three arguments and a {@link JobContext}. */
    @FunctionalInterface
    interface C3<T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            extends JobMethod {
        void perform(T target, A a, B b, C c, JobContext job) throws Exception;
    }

    /** A method with four arguments. */
    @FunctionalInterface
    interface P4<
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            extends JobMethod {
        void perform(T target, A a, B b, C c, D d) throws Exception;
    }

    /** A method with four arguments and a {@link JobContext}. */
    @FunctionalInterface
    interface C4<
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            extends JobMethod {
        void perform(T target, A a, B b, C c, D d, JobContext job) throws Exception;
    }

    /** A method with five arguments. */
    @FunctionalInterface
    interface P5<
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            extends JobMethod {
        void perform(T target, A a, B b, C c, D d, E e) throws Exception;
    }

    /** A method with five arguments and a {@link JobContext}. */
    @FunctionalInterface
    interface C5<
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            extends JobMethod {
        void perform(T target, A a, B b, C c, D d, E e, JobContext job) throws Exception;
    }

    /** A method with six arguments. */
    @FunctionalInterface
    interface P6<
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            extends JobMethod {
        void perform(T target, A a, B b, C c, D d, E e, F f) throws Exception;
    }

    /** A method with six arguments and a {@link JobContext}. */
    @FunctionalInterface
    interface C6<
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            extends JobMethod {
        void perform(T target, A a, B b, C c, D d, E e, F f, JobContext job) throws Exception;
    }
}
