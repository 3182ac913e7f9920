package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CurrentConnectionTests {

    private static final Duration LOADING = Duration.ofMillis(10);

    /** The first attempt never ends, as one that Lettuce has forgotten; the next ones fail. */
    private static final class ForgetfulOpener implements CurrentConnection.Opener {

        private final AtomicInteger attempts = new AtomicInteger();
        private final CountDownLatch opening = new CountDownLatch(1);
        private final CountDownLatch never = new CountDownLatch(1);
        private final boolean timerWorks;

        private ForgetfulOpener(boolean timerWorks) {
            this.timerWorks = timerWorks;
        }

        @Override
        public StatefulRedisConnection<byte[], byte[]> open() {
            if (attempts.incrementAndGet() > 1) {
                throw new RedisConnectionException("refused");
            }
            opening.countDown();
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

        @Override
        public Runnable later(Duration delay, Runnable task) {
            if (!timerWorks) {
                return () -> {};
            }
            Future<?> timer = CompletableFuture.runAsync(
                    task, CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
            return () -> timer.cancel(false);
        }
    }

    @Test
    @Timeout(60)
    void anAttemptThatNeverEndsDoesNotKeepOthersFromConnecting() {
        ForgetfulOpener opener = new ForgetfulOpener(true);
        try (CurrentConnection connection = new CurrentConnection(
                "test", opener, RedisServer.UNKNOWN, Duration.ofSeconds(2), () -> {}, Duration.ofMillis(50), LOADING)) {
            assertThatThrownBy(connection::get)
                    .isInstanceOf(JobStoreException.class)
                    .hasMessageContaining("2000 ms");
            assertThat(Thread.currentThread().isInterrupted()).isFalse();

            assertThatThrownBy(connection::get).isInstanceOf(JobStoreException.class);
            assertThat(opener.attempts).hasValue(2);
        }
    }

    /** Opens nothing that has to be closed, and limits no attempt. */
    private interface UnlimitedOpener extends CurrentConnection.Opener {

        @Override
        default CompletableFuture<Void> close(StatefulRedisConnection<byte[], byte[]> connection) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        default Runnable later(Duration delay, Runnable task) {
            return () -> {};
        }
    }

    /** Each attempt fails once it may. */
    private record SlowOpener(Semaphore begun, Semaphore end) implements UnlimitedOpener {

        @Override
        public StatefulRedisConnection<byte[], byte[]> open() {
            begun.release();
            end.acquireUninterruptibly();
            throw new RedisConnectionException("Unable to connect", new ConnectException("refused"));
        }
    }

    /** The attempt of a start loads classes, and a request may need the connection meanwhile. */
    @Test
    @Timeout(60)
    void callersWaitLongerThanTheTimeoutForTheFirstAttemptAlone() throws Exception {
        SlowOpener slow = new SlowOpener(new Semaphore(0), new Semaphore(0));
        try (CurrentConnection connection = new CurrentConnection(
                "test",
                slow,
                RedisServer.UNKNOWN,
                Duration.ZERO,
                () -> {},
                Duration.ofSeconds(50),
                Duration.ofHours(1))) {
            FutureTask<Object> first = started(connection::get);
            slow.begun.acquire();
            FutureTask<Object> beside = new FutureTask<>(connection::get);
            Thread waiting = new Thread(beside);
            waiting.start();
            while (waiting.getState() != Thread.State.TIMED_WAITING && waiting.isAlive()) {
                Thread.onSpinWait();
            }
            slow.end.release();
            assertThatThrownBy(beside::get).hasMessageContaining("refused");
            assertThatThrownBy(first::get).hasMessageContaining("refused");

            FutureTask<Object> second = started(connection::get);
            slow.begun.acquire();
            assertThatThrownBy(connection::get).hasMessageContaining("0 ms");
            slow.end.release();
            assertThatThrownBy(second::get).hasMessageContaining("refused");
        }
    }

    private static FutureTask<Object> started(Callable<Object> task) {
        FutureTask<Object> started = new FutureTask<>(task);
        new Thread(started).start();
        return started;
    }

    /** As after a shutdown of the client that connects. */
    @Test
    @Timeout(60)
    void anAttemptWhoseTimerWasStoppedIsGivenUpByAnotherCaller() throws Exception {
        ForgetfulOpener opener = new ForgetfulOpener(false);
        try (CurrentConnection connection = new CurrentConnection(
                "test", opener, RedisServer.UNKNOWN, Duration.ofMillis(50), () -> {}, Duration.ofMillis(20), LOADING)) {
            FutureTask<Object> first = new FutureTask<>(connection::get);
            new Thread(first).start();
            opener.opening.await();

            assertThatThrownBy(connection::get).isInstanceOf(JobStoreException.class);

            assertThatThrownBy(first::get).hasCauseInstanceOf(JobStoreException.class);
            assertThatThrownBy(connection::get).isInstanceOf(JobStoreException.class);
            assertThat(opener.attempts).hasValue(2);
        }
    }

    /** The attempts fail one after the other, the last one again and again. */
    private record FailingOpener(AtomicInteger attempts, List<Exception> failures) implements UnlimitedOpener {

        FailingOpener(Exception... failures) {
            this(new AtomicInteger(), List.of(failures));
        }

        @Override
        public StatefulRedisConnection<byte[], byte[]> open() {
            int attempt = Math.min(attempts.getAndIncrement(), failures.size() - 1);
            throw new RedisConnectionException("Unable to connect", failures.get(attempt));
        }
    }

    private static JobStoreException failure(FailingOpener opener) {
        try (CurrentConnection connection =
                new CurrentConnection("test", opener, RedisServer.UNKNOWN, Duration.ofSeconds(60), () -> {})) {
            return catchThrowableOfType(JobStoreException.class, connection::get);
        }
    }

    /** By how far Lettuce had come, it says one or the other instead of what the server has answered. */
    @ParameterizedTest
    @ValueSource(strings = {"Connection closed prematurely", "RedisHandshakeHandler not registered"})
    void asksAgainForAReasonThatLettuceHasLost(String message) {
        FailingOpener opener = new FailingOpener(
                new IllegalStateException(message),
                new RedisCommandExecutionException("WRONGPASS invalid username-password pair or user is disabled."));

        assertThat(failure(opener))
                .returns(Kind.DENIED, JobStoreException::kind)
                .hasMessageContaining("The user name or the password is wrong");
        assertThat(opener.attempts).hasValue(2);
    }

    @Test
    void aServerThatClosesEachConnectionIsSaidToDoSo() {
        FailingOpener opener = new FailingOpener(new RedisConnectionException("Connection closed prematurely"));

        assertThat(failure(opener))
                .returns(Kind.UNREACHABLE, JobStoreException::kind)
                .hasMessageContaining("Connection closed prematurely");
        assertThat(opener.attempts).hasValue(3);
    }

    @Test
    void aReasonThatIsKnownIsNotAskedForAgain() {
        FailingOpener opener = new FailingOpener(new ConnectException("Connection refused"));

        assertThat(failure(opener)).hasMessageContaining("Connection refused");
        assertThat(opener.attempts).hasValue(1);
    }
}
