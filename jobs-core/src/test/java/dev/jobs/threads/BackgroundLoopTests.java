package dev.jobs.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.testing.LogLines;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BackgroundLoopTests {

    @RegisterExtension
    final LogLines lines = LogLines.of(BackgroundLoop.class);

    static Throwable[] failures() {
        return new Throwable[] {
            new IllegalStateException("of the database"),
            new NoClassDefFoundError("of a driver"),
            new OutOfMemoryError("Java heap space")
        };
    }

    @ParameterizedTest
    @MethodSource("failures")
    void nothingThatIsThrownEndsTheThreadAndItIsLogged(Throwable failure) throws InterruptedException {
        CountDownLatch again = new CountDownLatch(2);
        AtomicInteger runs = new AtomicInteger();
        BackgroundLoop loop = new BackgroundLoop("jobs-outbox", "The outbox", () -> {
            again.countDown();
            if (runs.incrementAndGet() == 1) {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) failure;
            }
            return Duration.ofMinutes(1);
        });
        loop.start();

        assertThat(again.await(60, TimeUnit.SECONDS)).as("a second run").isTrue();
        loop.signalStop();
        loop.awaitEnd();
        assertThat(lines.messages()).first().asString().startsWith("The outbox waits");
    }
}
