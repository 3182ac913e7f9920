package dev.jobs;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Job} method returns that works through many elements, one at a time, and goes on where it was left: after a restart of its
 * worker, after a failure, after a crash.
 *
 * <pre>{@code
 * @Job("ReindexShop")
 * Iteration<Product> reindex(long shopId, JobContext job) {
 *     return Iteration.over(productsOf(shopId)).each(product -> index(product)).onComplete(() -> publish(shopId));
 * }
 * }</pre>
 *
 * <p>The method only describes the work, once for each execution; the worker then opens the source and performs the step for each element. It
 * keeps the cursor of the element that comes next, at least every five seconds and whenever it leaves. When the worker goes quiet or stops, or
 * the execution has run for its longest time, the job goes to the back of its queue, and whoever takes it goes on with the next element: nothing
 * is repeated. A step that throws is a failure as any other, and the retry begins with the element that failed. After a crash the steps since
 * the cursor was last kept are repeated, so a step should be safe to repeat.
 *
 * <p>Immutable; each method returns a changed copy. Of two hooks for the same moment the last one counts. Everything is called on the thread
 * that runs the job. A hook that throws fails the job.
 *
 * @param <E> the type of the elements
 */
public final class Iteration<E extends @Nullable Object> {

    /**
     * An element of a source.
     *
     * @param cursor what the source has to be opened with for this element to come first: null, a boolean, a number, text, or a list or map
     *     of these
     */
    public record Item<E extends @Nullable Object>(
            E element, @Nullable Object cursor) {}

    /** Where elements come from. */
    @FunctionalInterface
    public interface Source<E extends @Nullable Object> {

        /**
         * Opens the elements in an order that is the same each time, lazily: the stream is read element by element and closed at the end.
         *
         * @param cursor null for the beginning, else the cursor of the element to begin with, as it comes back from JSON: a whole number is a
         *     {@link Long} or {@link java.math.BigInteger}, another number a {@link Double}, a list an {@link java.util.ArrayList}, a map a
         *     {@link java.util.LinkedHashMap}. If that element is gone, the one that came after it is the first.
         * @throws InvalidCursorException if the cursor is none of this source
         */
        Stream<Item<E>> open(@Nullable Object cursor) throws Exception;

        /**
         * Reads a cursor that is a whole number.
         *
         * @param first what null stands for
         * @throws InvalidCursorException if it is something else, or less than the first
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
            return cursor instanceof Long ? "the number " + cursor : "no whole number that it knows";
        }
    }

    /** What is done with one element. */
    @FunctionalInterface
    public interface Step<E extends @Nullable Object> {
        void perform(E element) throws Exception;
    }

    /** What is done at a moment of an execution. */
    @FunctionalInterface
    public interface Hook {
        void run() throws Exception;
    }

    /** Stands around the step of each element, say with a transaction. */
    @FunctionalInterface
    public interface Around<E extends @Nullable Object> {

        /** Not calling on leaves the element out. */
        void perform(E element, JobMiddleware.Chain next) throws Exception;
    }

    /** The moments of an execution that a job can be told of. */
    public enum Moment {
        START,
        RESUME,
        STOP,
        CANCEL,
        COMPLETE
    }

    /** Elements that nothing is done with yet. */
    public static final class Elements<E extends @Nullable Object> {

        private final Source<E> source;

        private Elements(Source<E> source) {
            this.source = source;
        }

        /** The same elements in lists of so many, the last one perhaps shorter; the cursor of a list is that of its first element. */
        public Elements<List<E>> inBatchesOf(int size) {
            if (size < 1) {
                throw new IllegalArgumentException("'size' must be at least 1 but was " + size);
            }
            return new Elements<>(new Batches<>(source, size));
        }

        /** Says what to do with each element. */
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

    /** Over the elements of a source. */
    public static <E extends @Nullable Object> Elements<E> over(Source<E> source) {
        return new Elements<>(source);
    }

    /** Over the elements of a list, by their index; it has to be the same list for each execution, but for what is added at its end. */
    public static <E extends @Nullable Object> Elements<E> over(List<E> list) {
        return new Elements<>(new ListSource<>(list));
    }

    /** Over the elements of an array; see {@link #over(List)}. */
    public static <E extends @Nullable Object> Elements<E> over(E[] array) {
        return over(Arrays.asList(array));
    }

    /** Stands around each step; the last call counts. */
    public Iteration<E> around(Around<? super E> advice) {
        return new Iteration<>(source, step, advice, hooks, maxRuntime);
    }

    /** Before the first element of the first execution. After a crash within the first seconds there may be another first one. */
    public Iteration<E> onStart(Hook hook) {
        return on(Moment.START, hook);
    }

    /** Before the first element of each later execution, be it after an interruption, a failure or a crash. */
    public Iteration<E> onResume(Hook hook) {
        return on(Moment.RESUME, hook);
    }

    /**
     * After the last element of an execution, whether the job is interrupted, cancelled or complete. Not after an exception, nor when the job was
     * taken from this worker because it stops or lost its lease.
     */
    public Iteration<E> onStop(Hook hook) {
        return on(Moment.STOP, hook);
    }

    /** When the job was cancelled, before it stops and completes. */
    public Iteration<E> onCancel(Hook hook) {
        return on(Moment.CANCEL, hook);
    }

    /** When all elements are done, or the job was cancelled, after it stopped. */
    public Iteration<E> onComplete(Hook hook) {
        return on(Moment.COMPLETE, hook);
    }

    private Iteration<E> on(Moment moment, Hook hook) {
        Map<Moment, Hook> changed = new EnumMap<>(hooks);
        changed.put(moment, hook);
        return new Iteration<>(source, step, around, changed, maxRuntime);
    }

    /**
     * After so long an execution goes to the back of its queue, as soon as the element at hand is done: 1 ms or more. Replaces the
     * application's default ({@code jobs.iteration.max-runtime}, none).
     */
    public Iteration<E> maxRuntime(Duration longest) {
        if (longest.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("'longest' must be at least 1 ms but was " + longest);
        }
        return new Iteration<>(source, step, around, hooks, longest);
    }

    /** How long an execution may run, or null if the application's default holds. */
    public @Nullable Duration maxRuntime() {
        return maxRuntime;
    }

    /** Opens the source; see {@link Source#open}. For the worker, and for tests of a job's own. */
    public Stream<Item<E>> open(@Nullable Object cursor) throws Exception {
        return source.open(cursor);
    }

    /** Performs the step for one element, with what stands around it. For the worker, and for tests of a job's own. */
    public void perform(E element) throws Exception {
        around.perform(element, () -> step.perform(element));
    }

    /** Runs the hook for a moment, if there is one. For the worker, and for tests of a job's own. */
    public void reached(Moment moment) throws Exception {
        Hook hook = hooks.get(moment);
        if (hook != null) {
            hook.run();
        }
    }
}
