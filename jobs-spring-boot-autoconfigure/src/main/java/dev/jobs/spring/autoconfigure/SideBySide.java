package dev.jobs.spring.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Asks several shards at the same time, on threads of its own that end when they are idle, so that those that are away
 * cost one timeout together. Thread-safe.
 */
final class SideBySide implements AutoCloseable {

    private static final int MOST_THREADS = 64;
    private static final long IDLE_SECONDS = 10;

    private final Duration deadline;
    private final ThreadPoolExecutor threads;

    /** @param deadline how long all of them together may take */
    SideBySide(int shards, Duration deadline) {
        this.deadline = deadline;
        int most = Math.min(shards, MOST_THREADS);
        AtomicInteger number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                most,
                most,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                run -> {
                    Thread daemon = new Thread(run, "jobs-shards-" + number.incrementAndGet());
                    daemon.setDaemon(true);
                    return daemon;
                },
                (task, closed) -> task.run());
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Asks each of these; a single one on the thread of the caller, for as long as it takes.
     *
     * @param late makes the answer of a shard that gave none in time, from its name and the deadline
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
        Map<String, FutureTask<T>> asked = new LinkedHashMap<>();
        shards.forEach((name, shard) -> {
            FutureTask<T> task = new FutureTask<>(() -> question.apply(shard));
            asked.put(name, task);
            threads.execute(task);
        });
        long until = System.nanoTime() + deadline.toNanos();
        asked.forEach((name, task) -> answers.put(name, answer(name, task, until, late)));
        return answers;
    }

    private <T> T answer(String name, FutureTask<T> task, long until, BiFunction<String, Duration, T> late) {
        try {
            return task.get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            task.cancel(false); // what has begun ends by its own timeout
        } catch (InterruptedException e) {
            task.cancel(false);
            Thread.currentThread().interrupt();
        }
        return late.apply(name, deadline);
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
