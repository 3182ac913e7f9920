package dev.jobs.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.jobs.testing.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LoopTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    private final LogLines lines = LogLines.ofPackage("dev.jobs.engine");

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
