package dev.jobs.benchmarks.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** Threads that make many calls at once, for libraries without a bulk call. */
public final class ParallelCalls {

    private final int size;
    private final ExecutorService threads;

    public ParallelCalls(int size) {
        this.size = size;
        threads = Executors.newFixedThreadPool(size);
    }

    /** Makes the call for each number. If there is only one number, the calling thread makes it. */
    public void forEach(List<Long> numbers, LongConsumer call) throws InterruptedException, ExecutionException {
        if (numbers.size() == 1) {
            call.accept(numbers.get(0));
            return;
        }
        List<Future<?>> shares = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            List<Long> share = numbers.subList(part(numbers, i), part(numbers, i + 1));
            shares.add(threads.submit(() -> share.forEach(call::accept)));
        }
        for (Future<?> share : shares) {
            share.get();
        }
    }

    private int part(List<Long> numbers, int index) {
        return (int) ((long) numbers.size() * index / size);
    }

    public void close() throws InterruptedException {
        threads.shutdownNow();
        threads.awaitTermination(5, TimeUnit.SECONDS);
    }
}
