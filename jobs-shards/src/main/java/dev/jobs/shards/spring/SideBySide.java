package dev.jobs.shards.spring;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks several shards at once, each on threads of its own that end when they are idle, and waits for none longer than
 * for the others: one that is silent costs that time once, and is asked one question at a time until it answers again.
 * One that answers, but is asked more at once than it has threads, is no silent one: what is too much is given up as
 * busy. Thread-safe.
 */
@Internal
public final class SideBySide implements AutoCloseable {

    /** Of one shard. Its calls share one connection, so more would not be faster. */
    static final int THREADS = 4;

    private static final int SECONDS_IDLE = 10;

    /**
     * How long shards may take.
     *
     * @param answering one that has answered so far
     * @param silent one that hasn't
     * @param acting any one, to act
     * @param waiting how many questions to one shard may wait for a thread, while it answers others
     */
    public record Patience(Duration answering, Duration silent, Duration acting, int waiting) {

        /** The same for everything. */
        static Patience of(Duration time) {
            return new Patience(time, time, time, Integer.MAX_VALUE);
        }
    }

    /**
     * What came of asking a shard: either is null.
     *
     * @param value never null if there was no failure
     * @param failure a {@link NoAnswer}, or what the question threw
     */
    public record Outcome<T>(@Nullable T value, @Nullable Throwable failure) {}

    /** A shard gave no answer in time, or was not even asked. */
    public static final class NoAnswer extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final boolean busy;

        private NoAnswer(boolean busy) {
            super(busy ? "busy" : "silent", null, false, false);
            this.busy = busy;
        }

        /** Whether it answers others. */
        public boolean isBusy() {
            return busy;
        }
    }

    /** The threads of a shard, and what is known of it. */
    private static final class Lane {

        private final ThreadPoolExecutor threads;
        private final AtomicInteger underWay = new AtomicInteger();
        /** Null while it answers. */
        private volatile @Nullable RuntimeException trouble;
        /** How many questions it has answered. */
        private final AtomicLong answers = new AtomicLong();

        Lane(ThreadFactory factory, int waiting) {
            threads = new ThreadPoolExecutor(
                    THREADS, THREADS, SECONDS_IDLE, TimeUnit.SECONDS, new LinkedBlockingQueue<>(waiting), factory);
            threads.allowCoreThreadTimeOut(true);
        }
    }

    /**
     * A question to a shard.
     *
     * @param answer null if it was not asked
     * @param answers how many others the shard had answered before
     */
    private record Asked<T>(
            Lane lane,
            @Nullable RuntimeException before,
            @Nullable FutureTask<T> answer,
            long answers) {

        /** Returns whether it was not begun, and never will be. */
        boolean giveUp() {
            boolean unbegun = answer == null || lane.threads.remove(answer);
            if (unbegun && answer != null) {
                lane.underWay.decrementAndGet();
            }
            return unbegun;
        }
    }

    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private final ThreadFactory threads;
    private final Patience patience;

    /** @param threadNames what their names begin with */
    public SideBySide(String threadNames, Patience patience) {
        this.patience = patience;
        AtomicInteger number = new AtomicInteger();
        this.threads = run -> {
            Thread daemon = new Thread(run, threadNames + number.incrementAndGet());
            daemon.setDaemon(true);
            return daemon;
        };
    }

    /**
     * Asks shards.
     *
     * @param shards by name
     * @return their answers, in their order
     */
    public <S, T> Map<String, Outcome<T>> ask(
            Map<String, ? extends S> shards, Function<? super S, ? extends T> question) {
        return outcomes(
                shards,
                question,
                1,
                each -> each.before() == null ? patience.answering() : patience.silent(),
                name -> {});
    }

    /**
     * Acts in shards; also in one that has not answered so far.
     *
     * @param unbegun told of each shard in which it was not even tried
     */
    public <S, T> Map<String, Outcome<T>> act(
            Map<String, ? extends S> shards, Function<? super S, ? extends T> deed, Consumer<String> unbegun) {
        return outcomes(shards, deed, THREADS, each -> patience.acting(), unbegun);
    }

    /** @param most how many may be under way in a shard that has not answered so far */
    private <S, T> Map<String, Outcome<T>> outcomes(
            Map<String, ? extends S> shards,
            Function<? super S, ? extends T> question,
            int most,
            Function<Asked<T>, Duration> time,
            Consumer<String> unbegun) {
        long begun = System.nanoTime();
        Map<String, Asked<T>> asked = new LinkedHashMap<>();
        shards.forEach((name, shard) -> asked.put(name, ask(name, () -> question.apply(shard), most)));
        Map<String, Outcome<T>> outcomes = new LinkedHashMap<>();
        asked.forEach((name, each) -> {
            long end = begun + time.apply(each).toNanos();
            outcomes.put(name, outcome(each, end, () -> unbegun.accept(name)));
        });
        return outcomes;
    }

    private <T> Asked<T> ask(String name, Callable<T> question, int most) {
        Lane lane = lanes.computeIfAbsent(name, each -> new Lane(threads, patience.waiting()));
        RuntimeException before = lane.trouble;
        long answers = lane.answers.get();
        if (before != null && lane.underWay.get() >= most) {
            return new Asked<>(lane, before, null, answers); // those will tell whether it is there again
        }
        FutureTask<T> answer = new FutureTask<>(() -> answer(lane, question));
        lane.underWay.incrementAndGet();
        try {
            lane.threads.execute(answer);
            return new Asked<>(lane, before, answer, answers);
        } catch (RejectedExecutionException e) {
            lane.underWay.decrementAndGet();
            return new Asked<>(lane, before == null ? new NoAnswer(true) : before, null, answers);
        }
    }

    private static <T> T answer(Lane lane, Callable<T> question) throws Exception {
        try {
            T answer = question.call();
            lane.answers.incrementAndGet();
            lane.trouble = null;
            return answer;
        } catch (JobStoreException e) {
            if (e.kind() == JobStoreException.Kind.UNREACHABLE || e.kind() == JobStoreException.Kind.TIMEOUT) {
                lane.trouble = e;
            }
            throw e;
        } finally {
            lane.underWay.decrementAndGet();
        }
    }

    private static <T> Outcome<T> outcome(Asked<T> asked, long end, Runnable unbegun) {
        FutureTask<T> answer = asked.answer();
        if (answer == null) {
            unbegun.run();
            return new Outcome<>(null, asked.before());
        }
        try {
            return new Outcome<>(answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS), null);
        } catch (ExecutionException e) {
            return new Outcome<>(null, e.getCause());
        } catch (TimeoutException e) {
            return late(asked, unbegun);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return late(asked, unbegun);
        }
    }

    /** It is silent only if it has answered nobody meanwhile. */
    private static <T> Outcome<T> late(Asked<T> asked, Runnable unbegun) {
        if (asked.giveUp()) {
            unbegun.run();
        }
        RuntimeException known = asked.lane().trouble;
        if (known == null && asked.lane().answers.get() > asked.answers()) {
            return new Outcome<>(null, new NoAnswer(true));
        }
        RuntimeException trouble = known == null ? new NoAnswer(false) : known;
        asked.lane().trouble = trouble;
        return new Outcome<>(null, trouble);
    }

    /** What is under way ends by itself: it may be an action. */
    @Override
    public void close() {
        lanes.values().forEach(lane -> lane.threads.shutdown());
    }
}
