package dev.jobs.engine;

import dev.jobs.threads.ThreadGuard;
import dev.jobs.threads.ThreadSnapshot;
import dev.jobs.threads.Threads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The settlements whose answers processors wait for, to call death handlers only for what is settled. Thread-safe. */
final class AwaitedSettlements {

    private static final Logger log = LoggerFactory.getLogger(AwaitedSettlements.class);

    private static final String THREAD = "jobs-deaths";

    /** How long a thread that several shards share waits for the answer of one. */
    private static final Duration USUAL_ANSWER = Duration.ofSeconds(1);

    private final Map<String, CompletableFuture<Boolean>> byToken = new ConcurrentHashMap<>();

    /** Processors that wait for an answer or call death handlers after it. */
    private final Set<Thread> processors = ConcurrentHashMap.newKeySet();

    /** Answers that no processor waits for any more, or whose death handlers were not called yet. */
    private final AtomicInteger postponed = new AtomicInteger();

    private final ThreadFactory threads;
    private final ThreadGuard guard;

    // Guarded by this.
    private final Deque<Runnable> late = new ArrayDeque<>();
    private boolean calling;

    /** Whether no processor may wait for an answer any more. */
    private volatile boolean released;

    /** @param threads creates the thread for what came late */
    AwaitedSettlements(ThreadFactory threads, ThreadGuard guard) {
        this.threads = threads;
        this.guard = guard;
    }

    /** The current thread will wait for this answer, and counts as waiting until {@link #ended()}. */
    CompletableFuture<Boolean> begin(String token) {
        CompletableFuture<Boolean> settled = new CompletableFuture<>();
        processors.add(Thread.currentThread());
        byToken.put(token, settled);
        if (released) {
            answer(token, false);
        }
        return settled;
    }

    /**
     * Calls death handlers once a job is settled as intended.
     *
     * @param shared whether other shards need the current thread as well: it then waits for the Redis of one only as
     *     long as that usually answers
     */
    void thenTell(CompletableFuture<Boolean> settled, boolean shared, Runnable deathHandlers) {
        while (!isDone(settled)) {
            if (shared) {
                later(settled, deathHandlers);
                return;
            }
        }
        if (settled.join()) {
            deathHandlers.run();
        }
    }

    private static boolean isDone(CompletableFuture<Boolean> settled) {
        return Threads.await(USUAL_ANSWER, nanos -> {
            try {
                settled.get(nanos, TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                return settled.isDone();
            }
            return true;
        });
    }

    /** The current thread neither waits nor calls death handlers any more. */
    void ended() {
        if (!processors.isEmpty()) { // only deaths put something there
            processors.remove(Thread.currentThread());
        }
    }

    /**
     * The current thread does not wait for an answer any longer. If a job is settled as intended, its death handlers are
     * called on a thread of their own, one after the other: processors may be busy with long jobs.
     */
    void later(CompletableFuture<Boolean> settled, Runnable deathHandlers) {
        postponed.incrementAndGet();
        settled.thenAccept(asIntended -> {
            if (asIntended) {
                call(deathHandlers);
            } else {
                postponed.decrementAndGet();
            }
        });
    }

    private void call(Runnable deathHandlers) {
        synchronized (this) {
            late.add(deathHandlers);
            if (calling) {
                return;
            }
            calling = true;
        }
        try {
            Thread thread = threads.newThread(this::callAll);
            thread.setName(THREAD);
            thread.start();
        } catch (Throwable e) {
            synchronized (this) {
                calling = false; // the next one tries again
            }
            guard.failed(THREAD, e);
        }
    }

    private void callAll() {
        ThreadSnapshot own = guard.snapshot();
        Runnable next;
        while ((next = nextLate()) != null) {
            try {
                own.restore(); // from what the handler before left
                next.run();
                guard.worked(THREAD);
            } catch (Throwable e) {
                guard.failed(THREAD, e);
            } finally {
                postponed.decrementAndGet();
            }
        }
    }

    private synchronized @Nullable Runnable nextLate() {
        Runnable next = late.poll();
        calling = next != null;
        return next;
    }

    /** Whether a settlement is waited for. */
    boolean isAny() {
        return !byToken.isEmpty();
    }

    /** Returns whether a processor waited for it. */
    boolean answer(String token, boolean asIntended) {
        CompletableFuture<Boolean> settled = byToken.remove(token);
        return settled != null && settled.complete(asIntended);
    }

    /** Whether a processor waits for a settlement or calls death handlers after it. */
    boolean isHandlingDeath(Thread processor) {
        return processors.contains(processor);
    }

    /** For how many deaths handlers are still to be called, or are called. */
    int untold() {
        return processors.size() + postponed.get();
    }

    /** Waits until no processor does or has to. */
    void awaitDeathHandlers(Duration patience) {
        Threads.await(patience, () -> untold() == 0);
    }

    /** Waits for the death handlers that are called late, of which those that were not called in time are left out. */
    void awaitLate(Duration patience) {
        if (!Threads.await(patience, () -> postponed.get() == 0)) {
            log.warn("Death handlers take too long, so they are not called for {} jobs", postponed.get());
        }
    }

    /** Releases the processors that wait for a settlement, because the answer did not come in time. */
    void release() {
        released = true;
        int unheard = 0;
        for (String token : List.copyOf(byToken.keySet())) {
            unheard += answer(token, false) ? 1 : 0;
        }
        if (unheard > 0) {
            log.warn(
                    "Redis didn't confirm in time that {} jobs died, so death handlers are not called for them",
                    unheard);
        }
    }
}
