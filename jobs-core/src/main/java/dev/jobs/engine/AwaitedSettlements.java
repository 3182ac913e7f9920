package dev.jobs.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The settlements whose answers processors wait for, to call death handlers only for what is settled. Thread-safe. */
final class AwaitedSettlements {

    private static final Logger log = LoggerFactory.getLogger(AwaitedSettlements.class);

    private final Map<String, CompletableFuture<Boolean>> byToken = new ConcurrentHashMap<>();

    /** Processors that wait for an answer or call death handlers after it. */
    private final Set<Thread> processors = ConcurrentHashMap.newKeySet();

    /** Answers that no processor waits for any more, or whose death handlers wait for one. */
    private final AtomicInteger postponed = new AtomicInteger();

    /** Whether no processor may wait for an answer any more. */
    private volatile boolean released;

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

    /** The current thread neither waits nor calls death handlers any more. */
    void ended() {
        if (!processors.isEmpty()) { // only deaths put something there
            processors.remove(Thread.currentThread());
        }
    }

    /** The current thread does not wait for an answer any longer, and another one acts on it. */
    void postponed() {
        postponed.incrementAndGet();
    }

    /** There is nothing to do for a postponed answer. */
    void dropped() {
        postponed.decrementAndGet();
    }

    /** The current thread calls death handlers after a postponed answer, until {@link #ended()}. */
    void resumed() {
        processors.add(Thread.currentThread());
        postponed.decrementAndGet();
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

    /** Waits until no processor does or has to. */
    void awaitDeathHandlers(Duration patience) {
        Threads.await(patience, () -> postponed.get() == 0 && processors.isEmpty());
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
