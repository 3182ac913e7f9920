package dev.jobs.benchmarks.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Threads that make many calls at once, for libraries without a bulk call. */
public final class ParallelCalls {

    private final int size;
    private final ExecutorService threads;

    public ParallelCalls(int size) {
        this.size = size;
        threads = Executors.newFixedThreadPool(size);
    }

    /** Makes the call for each element. If there is only one, the calling thread makes it. */
    public <T> void forEach(List<T> elements, Consumer<T> call) throws InterruptedException, ExecutionException {
        if (elements.size() == 1) {
            call.accept(elements.get(0));
            return;
        }
        List<Future<?>> shares = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            List<T> share = elements.subList(part(elements, i), part(elements, i + 1));
            shares.add(threads.submit(() -> share.forEach(call)));
        }
        for (Future<?> share : shares) {
            share.get();
        }
    }

    private int part(List<?> elements, int index) {
        return (int) ((long) elements.size() * index / size);
    }

    public void close() throws InterruptedException {
        threads.shutdownNow();
        threads.awaitTermination(5, TimeUnit.SECONDS);
    }
}
