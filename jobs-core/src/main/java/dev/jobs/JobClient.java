package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Puts jobs into Redis.
 *
 * <p>A client is immutable and safe for use by many threads. {@link #at}, {@link #atEach}, {@link #in}, {@link #spread}, {@link #queue},
 * {@link #retry}, {@link #tags} and {@link #with} return a client with that option; the one they are called on stays as it is:
 *
 * <pre>{@code
 * jobs.enqueue(Emails::welcome, "bob@example.com", 5);
 * jobs.in(Duration.ofMinutes(10)).queue("low").enqueue("HardWorker", "bob", 5);
 * }</pre>
 *
 * <p>What the {@link Job} annotation says holds unless the client's options say otherwise. When a call returns, the job is in Redis.
 * It returns the job's id (jid), or null where an {@link EnqueueMiddleware} kept the job from being stored.
 *
 * <p>Every call throws {@link InvalidJobException} for what can't be stored as a job, and {@link JobStoreException} when Redis can't be
 * reached or refuses within the command timeout. After the latter the job may have been stored all the same if the answer was lost.
 */
public interface JobClient {

    /** A client whose jobs wait until the given time; a time that is not in the future means now. */
    JobClient at(Instant time);

    /**
     * A client whose bulk calls give each job a time of its own: the first job the first time, and so on. A time that is not in the future
     * means now. A call needs as many times as jobs. If it isn't told beforehand how many there are, as by a {@link Collection}, it throws at
     * the first job without a time, or at the end for times without a job; slices before it stay stored then. Other calls throw.
     *
     * <pre>{@code
     * jobs.atEach(List.of(tonight, tomorrow)).enqueueAll(Emails::remind, List.of("bob@example.com", "eve@example.com"));
     * }</pre>
     */
    JobClient atEach(Collection<Instant> times);

    /** A client whose jobs wait that long, counted from each call; zero or less means not at all. */
    JobClient in(Duration delay);

    /**
     * A client whose jobs each wait a random part of that time, counted from {@link #at}, {@link #atEach} or the end of {@link #in} if one of
     * these was given: many jobs don't become due at one instant. At most 366 days; zero or less means not at all.
     */
    JobClient spread(Duration interval);

    /** A client whose jobs go to the given queue. */
    JobClient queue(String queue);

    /** A client whose jobs are retried that often, as {@link Job#retry()}. */
    JobClient retry(int retries);

    /** A client whose jobs carry these labels. */
    JobClient tags(String... tags);

    /** A client whose jobs carry one more member of the payload, say {@code retry_for} or one of your own. */
    JobClient with(String member, @Nullable Object value);

    /**
     * Enqueues a job by its wire name, also one that isn't known here.
     *
     * @throws InvalidJobException if the job is known here and takes another number of arguments, or if JSON can't carry one of them
     */
    @Nullable String enqueue(String name, @Nullable Object... arguments);

    /**
     * Enqueues one job for each list of arguments. Slices of up to 1,000 jobs travel together; when one fails, those before it stay stored.
     *
     * @return the ids in the order of the input, null where a middleware kept a job from being stored
     */
    List<@Nullable String> enqueueAll(String name, Iterable<? extends List<? extends @Nullable Object>> argumentLists);

    /**
     * Stores a raw Sidekiq payload: at least {@code class} and {@code args}. Its own members win over the client's options; {@code jid},
     * {@code created_at}, {@code queue} and {@code retry} are filled in where they are missing, and a number {@code at} (epoch seconds)
     * schedules it.
     */
    @Nullable String push(Map<String, ? extends @Nullable Object> payload);

    /**
     * Cancels an iterable job (one whose method returns an {@link Iteration}): it ends before its next element, as if it were complete. Works
     * while it waits in its queue, waits for a retry or runs, then within about five seconds. Other jobs take no notice. What is stored is
     * kept for 30 days; a job that is over by now can't be told from one that isn't.
     *
     * @return when it was cancelled, to the second: earlier than now if it had been before
     */
    Instant cancel(String jid);

    /** Enqueues by a method reference whose arguments nobody checked; the typed methods below end here. */
    @Nullable String enqueueMethod(JobMethod method, List<? extends @Nullable Object> arguments);

    /** Enqueues in bulk by a method reference; see {@link #enqueueAll(String, Iterable)}. */
    List<@Nullable String> enqueueAllMethod(
            JobMethod method, Iterable<? extends List<? extends @Nullable Object>> argumentLists);

    /** Enqueues one job for each element, which is its only argument. */
    default <T, A extends @Nullable Object> List<@Nullable String> enqueueAll(
            JobMethod.P1<T, A> method, Iterable<? extends A> arguments) {
        return enqueueAllMethod(method, eachAlone(arguments));
    }

    /** Enqueues one job for each element, which is its only argument. */
    default <T, A extends @Nullable Object> List<@Nullable String> enqueueAll(
            JobMethod.C1<T, A> method, Iterable<? extends A> arguments) {
        return enqueueAllMethod(method, eachAlone(arguments));
    }

    private static <A extends @Nullable Object> Iterable<List<A>> eachAlone(Iterable<? extends A> arguments) {
        Iterable<List<A>> lists = () -> StreamSupport.stream(arguments.spliterator(), false)
                .<List<A>>map(Collections::singletonList)
                .iterator();
        return arguments instanceof Collection<?> known ? new OfKnownSize<>(lists, known.size()) : lists;
    }

    /** Enqueues a job by a reference to its method. */
    default <T> @Nullable String enqueue(JobMethod.P0<T> method) {
        return enqueueMethod(method, List.of());
    }

    /** Enqueues a job by a reference to its method. */
    default <T> @Nullable String enqueue(JobMethod.C0<T> method) {
        return enqueueMethod(method, List.of());
    }

    /** Enqueues a job by a reference to its method. */
    default <T, A extends @Nullable Object> @Nullable String enqueue(JobMethod.P1<T, A> method, A a) {
        return enqueueMethod(method, Collections.singletonList(a));
    }

    /** Enqueues a job by a reference to its method. */
    default <T, A extends @Nullable Object> @Nullable String enqueue(JobMethod.C1<T, A> method, A a) {
        return enqueueMethod(method, Collections.singletonList(a));
    }

    /** Enqueues a job by a reference to its method. */
    default <T, A extends @Nullable Object, B extends @Nullable Object> @Nullable String enqueue(
            JobMethod.P2<T, A, B> method, A a, B b) {
        return enqueueMethod(method, Arrays.asList(a, b));
    }

    /** Enqueues a job by a reference to its method. */
    default <T, A extends @Nullable Object, B extends @Nullable Object> @Nullable String enqueue(
            JobMethod.C2<T, A, B> method, A a, B b) {
        return enqueueMethod(method, Arrays.asList(a, b));
    }

    /** Enqueues a job by a reference to its method. */
    default <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> @Nullable String enqueue(JobMethod.P3<T, A, B, C> method, A a, B b, C c) {
        return enqueueMethod(method, Arrays.asList(a, b, c));
    }

    /** Enqueues a job by a reference to its method. */
    default <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> @Nullable String enqueue(JobMethod.C3<T, A, B, C> method, A a, B b, C c) {
        return enqueueMethod(method, Arrays.asList(a, b, c));
    }

    /** Enqueues a job by a reference to its method. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            @Nullable String enqueue(JobMethod.P4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return enqueueMethod(method, Arrays.asList(a, b, c, d));
    }

    /** Enqueues a job by a reference to its method. */
    default <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            @Nullable String enqueue(JobMethod.C4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return enqueueMethod(method, Arrays.asList(a, b, c, d));
    }

    /** Enqueues a job by a reference to its method. */
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

    /** Enqueues a job by a reference to its method. */
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

    /** Enqueues a job by a reference to its method. */
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

    /** Enqueues a job by a reference to its method. */
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
}
