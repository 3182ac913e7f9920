package dev.jobs.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.jobs.testing.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

class LoopTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    private final LogLines lines = LogLines.ofPackage("dev.jobs.threads");

    private final ThreadGuard guard = new ThreadGuard(error -> {});
    private final AtomicInteger runs = new AtomicInteger();

    private List<ILoggingEvent> said(Level level) {
        return lines.events().stream()
                .filter(event -> event.getLevel() == level)
                .toList();
    }

    @Test
    void aTaskThatFailsAgainAndAgainIsOneLineAndItsRecoveryAnother() {
        Loop loop = new Loop("jobs-test", guard, () -> {
            if (runs.incrementAndGet() <= 2) {
                throw new Error("no. " + runs.get());
            }
            return Duration.ofMillis(1);
        });
        loop.start();
        await().atMost(PATIENCE).until(() -> runs.get() > 4);
        loop.stop(PATIENCE);
        assertThat(said(Level.ERROR)).singleElement().asString().contains("jobs-test");
        assertThat(said(Level.INFO)).singleElement().asString().contains("jobs-test");
    }

    @Test
    void anAccidentalInterruptionEndsNothing() {
        Loop loop = new Loop("jobs-test", guard, () -> {
            runs.incrementAndGet();
            Thread.currentThread().interrupt();
            return Duration.ofMillis(1);
        });
        loop.start();
        await().atMost(PATIENCE).until(() -> runs.get() > 5);
        loop.stop(PATIENCE);
    }

    @Test
    @Timeout(60)
    void aLoopThatWaitsToBeWokenHasNoThread() throws Exception {
        BlockingQueue<Thread> runners = new LinkedBlockingQueue<>();
        Loop loop = new Loop("jobs-test", guard, () -> {
            runners.add(Thread.currentThread());
            return Loop.UNTIL_WOKEN;
        });
        loop.start();
        Thread first = runners.take();
        first.join();

        loop.wake();
        Thread second = runners.take();
        assertThat(second).isNotSameAs(first);
        assertThat(second.getName()).isEqualTo("jobs-test");
        second.join();
        loop.stop(PATIENCE);
        loop.wake();
        assertThat(runners).as("one run for each").isEmpty();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("jobs-test");
    }

    /** A wake-up that comes while a run ends must not be lost, whatever the moment. */
    @Test
    @Timeout(60)
    void aLoopThatIsWokenDuringARunRunsOnceMore() throws Exception {
        Semaphore running = new Semaphore(0);
        Semaphore wokenMeanwhile = new Semaphore(0);
        Loop loop = new Loop("jobs-test", guard, () -> {
            running.release();
            wokenMeanwhile.acquire();
            return Loop.UNTIL_WOKEN;
        });
        loop.start();
        running.acquire();
        loop.wake();
        wokenMeanwhile.release();

        running.acquire();
        wokenMeanwhile.release();
        loop.stop(PATIENCE);
    }

    @Test
    @Timeout(60)
    void noWakeUpIsLost() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Semaphore seen = new Semaphore(0);
        Loop loop = new Loop("jobs-test", guard, () -> {
            if (asked.getAndSet(0) > 0) {
                seen.release();
            }
            return Loop.UNTIL_WOKEN;
        });
        loop.start();
        for (int i = 0; i < 2_000; i++) {
            asked.incrementAndGet();
            loop.wake();
            seen.acquire();
        }
        loop.stop(PATIENCE);
    }

    @Test
    void aRunThatIsInterruptedIsNoError() {
        Loop loop = new Loop("jobs-test", guard, () -> {
            if (runs.incrementAndGet() == 1) {
                throw new InterruptedException();
            }
            return Duration.ofMillis(1);
        });
        loop.start();
        await().atMost(PATIENCE).until(() -> runs.get() > 1);
        loop.stop(PATIENCE);
        assertThat(lines.events()).isEmpty();
    }
}
