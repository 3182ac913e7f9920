package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.threads.ThreadGuard;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class AwaitedSettlementsTests {

    private final AwaitedSettlements awaited = new AwaitedSettlements(Thread::new, new ThreadGuard(error -> {}));

    @Test
    void whatADeathHandlerLeavesOnTheThreadIsTakenAwayBeforeTheNextOne() {
        CompletableFuture<Void> firstRuns = new CompletableFuture<>();
        CompletableFuture<Void> bothAreThere = new CompletableFuture<>();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        List<Integer> priorities = new CopyOnWriteArrayList<>();
        Runnable handler = () -> {
            firstRuns.complete(null);
            bothAreThere.join();
            threads.add(Thread.currentThread());
            priorities.add(Thread.currentThread().getPriority());
            Thread.currentThread().setPriority(Thread.MAX_PRIORITY);
        };
        awaited.later(CompletableFuture.completedFuture(true), handler);
        firstRuns.join();
        awaited.later(CompletableFuture.completedFuture(true), handler);
        bothAreThere.complete(null);
        awaited.awaitLate(Duration.ofSeconds(60));

        assertThat(threads).hasSize(2);
        assertThat(threads.get(1)).as("one after the other on one thread").isSameAs(threads.get(0));
        assertThat(priorities).containsExactly(Thread.NORM_PRIORITY, Thread.NORM_PRIORITY);
    }

    @Test
    void deathHandlersAreCalledAfterTheThreadOfEarlierOnesHasEnded() throws InterruptedException {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Runnable handler = () -> threads.add(Thread.currentThread());
        awaited.later(CompletableFuture.completedFuture(true), handler);
        awaited.awaitLate(Duration.ofSeconds(60));
        threads.get(0).join();

        awaited.later(CompletableFuture.completedFuture(true), handler);

        awaited.awaitLate(Duration.ofSeconds(10));
        assertThat(threads).hasSize(2);
    }
}
