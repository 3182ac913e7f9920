package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CurrentConnectionTests {

    /** The first attempt never ends, as one that Lettuce has forgotten; the next ones fail. */
    private static final class ForgetfulOpener implements CurrentConnection.Opener {

        private final AtomicInteger attempts = new AtomicInteger();
        private final CountDownLatch never = new CountDownLatch(1);

        @Override
        public StatefulRedisConnection<byte[], byte[]> open() {
            if (attempts.incrementAndGet() > 1) {
                throw new RedisConnectionException("refused");
            }
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw RedisConnectionException.create(e);
            }
            throw new AssertionError();
        }

        @Override
        public CompletableFuture<Void> close(StatefulRedisConnection<byte[], byte[]> connection) {
            return CompletableFuture.completedFuture(null);
        }
    }

    @Test
    @Timeout(60)
    void anAttemptThatNeverEndsDoesNotKeepOthersFromConnecting() {
        ForgetfulOpener opener = new ForgetfulOpener();
        try (CurrentConnection connection = new CurrentConnection(
                "test", opener, RedisServer.UNKNOWN, Duration.ofSeconds(2), () -> {}, Duration.ofMillis(50))) {
            assertThatThrownBy(connection::get)
                    .isInstanceOf(JobStoreException.class)
                    .hasMessageContaining("2000 ms");
            assertThat(Thread.currentThread().isInterrupted()).isFalse();

            assertThatThrownBy(connection::get).isInstanceOf(JobStoreException.class);
            assertThat(opener.attempts).hasValue(2);
        }
    }
}
