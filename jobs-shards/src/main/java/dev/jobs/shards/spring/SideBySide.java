package dev.jobs.shards.spring;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Asks several shards at the same time, each on threads of its own that end when they are idle: those that are away
 * cost one timeout together, and one that hangs holds up no question to another. It is asked nothing more until it has
 * answered. Thread-safe.
 */
final class SideBySide implements AutoCloseable {

    /** Of one shard. Its calls share one connection, so more would not be faster. */
    static final int THREADS = 4;

    private static final long IDLE_SECONDS = 10;

    private final Duration deadline;
    private final ThreadFactory threads;
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

    /** The threads of a shard. */
    private static final class Lane {

        private final ThreadPoolExecutor threads;
        /** Questions that were given up and have not ended. */
        private final Set<Question<?>> hanging = ConcurrentHashMap.newKeySet();

        Lane(ThreadFactory factory) {
            threads = new ThreadPoolExecutor(
                    THREADS,
                    THREADS,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    factory,
                    (task, closed) -> task.run());
            threads.allowCoreThreadTimeOut(true);
        }
    }

    /** A question to a shard. */
    private static final class Question<T> implements Callable<T> {

        private final Lane lane;
        private final Callable<T> asking;
        private final FutureTask<T> answer = new FutureTask<>(this);

        // Guarded by this.
        private boolean begun;
        private boolean ended;

        Question(Lane lane, Callable<T> asking) {
            this.lane = lane;
            this.asking = asking;
        }

        @Override
        public T call() throws Exception {
            synchronized (this) {
                begun = true;
            }
            try {
                return asking.call();
            } finally {
                synchronized (this) {
                    ended = true;
                    lane.hanging.remove(this);
                }
            }
        }

        /** If it has not begun, it never will. What has begun ends by its own timeout. */
        void giveUp() {
            answer.cancel(false);
            lane.threads.remove(answer);
        }

        synchronized void noteHanging() {
            if (begun && !ended) {
                lane.hanging.add(this);
            }
        }
    }

    /**
     * @param threadNames what their names begin with
     * @param deadline how long all of them together may take
     */
    SideBySide(String threadNames, Duration deadline) {
        this.deadline = deadline;
        AtomicInteger number = new AtomicInteger();
        this.threads = run -> {
            Thread daemon = new Thread(run, threadNames + number.incrementAndGet());
            daemon.setDaemon(true);
            return daemon;
        };
    }

    /**
     * Asks each of these; a single one on the thread of the caller, for as long as it takes.
     *
     * @param late makes the answer of a shard that gave none in time, or still owes one, from its name and the deadline
     * @return the answers in the order of the shards
     */
    <S, T> Map<String, T> ask(
            Map<String, ? extends S> shards,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late) {
        Map<String, T> answers = new LinkedHashMap<>();
        if (shards.size() == 1) {
            shards.forEach((name, shard) -> answers.put(name, question.apply(shard)));
            return answers;
        }
        Map<String, Question<T>> asked = new LinkedHashMap<>();
        shards.forEach((name, shard) -> {
            Lane lane = lanes.computeIfAbsent(name, each -> new Lane(threads));
            if (lane.hanging.isEmpty()) {
                Question<T> each = new Question<>(lane, () -> question.apply(shard));
                asked.put(name, each);
                lane.threads.execute(each.answer);
            }
        });
        long until = System.nanoTime() + deadline.toNanos();
        for (String name : shards.keySet()) {
            Question<T> each = asked.get(name);
            answers.put(name, each == null ? late.apply(name, deadline) : answer(name, each, until, late));
        }
        return answers;
    }

    private <T> T answer(String name, Question<T> question, long until, BiFunction<String, Duration, T> late) {
        try {
            return question.answer.get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            question.giveUp();
            question.noteHanging();
        } catch (InterruptedException e) {
            question.giveUp();
            Thread.currentThread().interrupt();
        }
        return late.apply(name, deadline);
    }

    @Override
    public void close() {
        lanes.values().forEach(lane -> lane.threads.shutdown());
    }
}
