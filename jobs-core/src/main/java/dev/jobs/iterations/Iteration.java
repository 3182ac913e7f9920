package dev.jobs.iterations;

import dev.jobs.Job;
import dev.jobs.JobMiddleware;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The return value of a {@link Job} method that works through many elements, one at a time, and resumes where it
 * stopped: after a restart of its worker, a failure or a crash.
 *
 * <pre>{@code
 * @Job("ReindexShop")
 * Iteration<Product> reindex(long shopId) {
 *     List<Product> products = productsOf(shopId);
 *     return Iteration.over(products).each(product -> index(product)).onComplete(() -> publish(shopId));
 * }
 * }</pre>
 *
 * <p>The method only describes the work, once per execution; the worker then opens the source and performs the step for
 * each element. Between elements it stores the cursor of the next element in Redis: when five seconds have passed since
 * the last time, and whenever it leaves the job. When the worker goes quiet or stops, or the execution reaches its
 * maximum runtime, the job goes to the back of its queue, and the worker that claims it next continues with the next
 * element: nothing is repeated. An exception in a step fails the job like any other exception, and the retry begins
 * with the failed element. After a crash, the steps since the cursor was last stored are repeated, so a step should be
 * safe to repeat.
 *
 * <p>Immutable; each method returns a changed copy. A hook replaces an earlier hook for the same moment. Source, steps
 * and hooks are called on the thread that runs the job. An exception in a hook fails the job.
 *
 * @param <E> the type of the elements
 */
public final class Iteration<E extends @Nullable Object> {

    /**
     * An element of a source.
     *
     * @param cursor the value with which to open the source so that this element comes first: null, a boolean, a
     *     number, text, or a list or map of these
     */
    public record Item<E extends @Nullable Object>(
            E element, @Nullable Object cursor) {}

    /** A source of elements. */
    @FunctionalInterface
    public interface Source<E extends @Nullable Object> {

        /**
         * Opens a lazy stream of the elements, in the same order each time. The stream is read element by element and
         * closed at the end.
         *
         * @param cursor null for the beginning, otherwise the cursor of the element to begin with, as read from JSON: a
         *     whole number is a {@link Long} or {@link java.math.BigInteger}, any other number a {@link Double}, a list
         *     an {@link java.util.ArrayList}, a map a {@link java.util.LinkedHashMap}. If that element no longer
         *     exists, the stream begins with its successor.
         * @throws InvalidCursorException if the cursor doesn't belong to this source
         */
        Stream<Item<E>> open(@Nullable Object cursor) throws Exception;

        /**
         * Reads a cursor that is a whole number.
         *
         * @param first the value for a null cursor, and the least allowed one
         * @throws InvalidCursorException if the cursor is not a whole number, or is less than {@code first}
         */
        static long wholeNumber(@Nullable Object cursor, long first) {
            if (cursor == null) {
                return first;
            }
            if (cursor instanceof Long number && number >= first) {
                return number;
            }
            throw new InvalidCursorException("The stored cursor is " + kind(cursor)
                    + ", but this source counts by whole numbers from " + first
                    + "; was the job stored by code that iterates over something else?");
        }

        private static String kind(Object cursor) {
            return cursor instanceof Long ? "the number " + cursor : "not a usable whole number";
        }
    }

    /** The work on one element. */
    @FunctionalInterface
    public interface Step<E extends @Nullable Object> {
        void perform(E element) throws Exception;
    }

    /** Called at a moment of an execution. */
    @FunctionalInterface
    public interface Hook {
        void run() throws Exception;
    }

    /** Wraps the step for each element, for example in a transaction. */
    @FunctionalInterface
    public interface Around<E extends @Nullable Object> {

        /** Performs the step by calling {@code next}; without that call the element is skipped. */
        void perform(E element, JobMiddleware.Chain next) throws Exception;
    }

    /** The moments of an execution for which a job can have hooks. */
    public enum Moment {
        START,
        RESUME,
        STOP,
        CANCEL,
        COMPLETE
    }

    /** Elements without a step yet. */
    public static final class Elements<E extends @Nullable Object> {

        private final Source<E> source;

        private Elements(Source<E> source) {
            this.source = source;
        }

        /**
         * Groups the elements into lists, each with the cursor of its first element.
         *
         * @param size elements per list, at least 1; the last list may be shorter
         * @throws IllegalArgumentException if the size is less than 1
         */
        public Elements<List<E>> inBatchesOf(int size) {
            if (size < 1) {
                throw new IllegalArgumentException("'size' must be at least 1 but was " + size);
            }
            return new Elements<>(new Chunks<>(source, size));
        }

        /** Sets the step for each element. */
        public Iteration<E> each(Step<? super E> step) {
            return new Iteration<>(source, step, (element, next) -> next.proceed(), new EnumMap<>(Moment.class), null);
        }
    }

    private final Source<E> source;
    private final Step<? super E> step;
    private final Around<? super E> around;
    private final Map<Moment, Hook> hooks;
    private final @Nullable Duration maxRuntime;

    private Iteration(
            Source<E> source,
            Step<? super E> step,
            Around<? super E> around,
            Map<Moment, Hook> hooks,
            @Nullable Duration maxRuntime) {
        this.source = source;
        this.step = step;
        this.around = around;
        this.hooks = hooks;
        this.maxRuntime = maxRuntime;
    }

    /** Iterates over the elements of a source. */
    public static <E extends @Nullable Object> Elements<E> over(Source<E> source) {
        return new Elements<>(source);
    }

    /**
     * Iterates over a list; the cursor is the index, from 0. The list must be the same for each execution, except for
     * elements added at its end.
     */
    public static <E extends @Nullable Object> Elements<E> over(List<E> list) {
        return new Elements<>(cursor -> LongStream.range(Source.wholeNumber(cursor, 0), list.size())
                .mapToObj(index -> new Item<>(list.get((int) index), index)));
    }

    /** Iterates over an array; see {@link #over(List)}. */
    public static <E extends @Nullable Object> Elements<E> over(E[] array) {
        return over(Arrays.asList(array));
    }

    /** Wraps each step; replaces an earlier wrapper. */
    public Iteration<E> around(Around<? super E> advice) {
        return new Iteration<>(source, step, advice, hooks, maxRuntime);
    }

    /**
     * Called before the first element of the first execution; called again if a crash follows within the first seconds.
     */
    public Iteration<E> onStart(Hook hook) {
        return on(Moment.START, hook);
    }

    /** Called before the first element of each later execution, after an interruption, a failure or a crash. */
    public Iteration<E> onResume(Hook hook) {
        return on(Moment.RESUME, hook);
    }

    /**
     * Called after the last element of an execution, whether the job is interrupted, cancelled or complete. Not called
     * after an exception, nor when the job was taken from this worker because the worker stops or lost its lease.
     */
    public Iteration<E> onStop(Hook hook) {
        return on(Moment.STOP, hook);
    }

    /** Called when the job was cancelled, before {@link #onStop} and {@link #onComplete}. */
    public Iteration<E> onCancel(Hook hook) {
        return on(Moment.CANCEL, hook);
    }

    /** Called after {@link #onStop} when all elements are done or the job was cancelled. */
    public Iteration<E> onComplete(Hook hook) {
        return on(Moment.COMPLETE, hook);
    }

    private Iteration<E> on(Moment moment, Hook hook) {
        Map<Moment, Hook> changed = new EnumMap<>(hooks);
        changed.put(moment, hook);
        return new Iteration<>(source, step, around, changed, maxRuntime);
    }

    /**
     * Sets how long an execution may run: after that time, when the current element is done, the job goes to the back
     * of its queue. Replaces the application's default ({@code jobs.iteration.max-runtime}, none).
     *
     * @param longest at least 1 ms
     * @throws IllegalArgumentException if it is less than 1 ms
     */
    public Iteration<E> maxRuntime(Duration longest) {
        if (longest.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("'longest' must be at least 1 ms but was " + longest);
        }
        return new Iteration<>(source, step, around, hooks, longest);
    }

    /** How long an execution may run, or null for the application's default. */
    public @Nullable Duration maxRuntime() {
        return maxRuntime;
    }

    /** Opens the source; see {@link Source#open}. For the worker, and for unit tests of a job. */
    public Stream<Item<E>> open(@Nullable Object cursor) throws Exception {
        return source.open(cursor);
    }

    /**
     * Performs the step for one element, with the wrapper set by {@link #around}. For the worker, and for unit tests of
     * a job.
     */
    public void perform(E element) throws Exception {
        around.perform(element, () -> step.perform(element));
    }

    /** Runs the hook for a moment, if there is one. For the worker, and for unit tests of a job. */
    public void reached(Moment moment) throws Exception {
        Hook hook = hooks.get(moment);
        if (hook != null) {
            hook.run();
        }
    }
}
