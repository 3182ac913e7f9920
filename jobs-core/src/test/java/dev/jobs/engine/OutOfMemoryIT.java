package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.jobs.Job;
import dev.jobs.JobListener;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import dev.jobs.threads.OutOfMemoryNotice;
import dev.jobs.threads.ThreadGuard;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that runs out ends the process, but never without a word. */
class OutOfMemoryIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @RegisterExtension
    final LogLines lines = LogLines.of(OutOfMemoryNotice.class);

    private final PrintStream usual = System.err;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<OutOfMemoryError> ended = new CopyOnWriteArrayList<>();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @BeforeEach
    void listen() {
        EngineEnvironment given = bed.environment;
        bed.environment = new EngineEnvironment(
                given.clock(), given.nanoTime(), given.random(), given.processorThreads(), ended::add);
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void close() {
        System.setErr(usual);
    }

    static final class Jobs {
        final AtomicInteger held = new AtomicInteger();

        @Job("Oversized")
        void oversized() {
            held.addAndGet(new byte[Integer.MAX_VALUE].length);
        }

        @Job("Report")
        void report() {
            throw new OutOfMemoryError("Java heap space");
        }

        @Job("Fine")
        void fine() {}
    }

    private String said() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void anOversizedArrayIsAFailureOfTheJobAlone() {
        bed.push("default", payload("Oversized", "j1", "[]", "\"retry\":true"));
        bed.start(new Jobs());

        await().atMost(PATIENCE).until(() -> redis.texts().zcard("retry") == 1);
        assertThat(bed.only("retry").text("error_message")).isEqualTo("Requested array size exceeds VM limit");
        assertThat(ended).isEmpty();
        assertThat(said()).isEmpty();
    }

    @Test
    void aJobThatUsesUpTheMemoryIsNamedOnTheErrorStreamAndInTheLogBeforeTheProcessEnds() {
        List<String> before = new ArrayList<>();
        EngineEnvironment given = bed.environment;
        bed.environment = given.withOutOfMemory(error -> {
            before.add(said());
            before.addAll(lines.messages(Level.ERROR));
            ended.add(error);
        });
        bed.push("default", payload("Report", "j1", "[]", "\"retry\":true"));
        bed.start(new Jobs());

        await().atMost(PATIENCE).until(() -> !ended.isEmpty());
        assertThat(before).as("said before the end").hasSize(2).allSatisfy(line -> assertThat(line)
                .contains("Report", "jid j1", "java.lang.OutOfMemoryError: Java heap space", "ends at once"));
    }

    @Test
    void theReasonIsKeptForTheDeadSet() {
        bed.push("default", payload("Report", "j1", "[]", "\"retry\":true"));
        bed.start(new Jobs());

        await().atMost(PATIENCE).until(() -> !ended.isEmpty());
        // the process waits for Redis only for a moment
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(redis.texts().hvals("jobs:recovered"))
                .containsExactly("java.lang.OutOfMemoryError: Java heap space"));
        assertThat(redis.texts().ttl("jobs:recovered")).isPositive();
        assertThat(redis.texts().zcard("jobs:recovered:times")).isEqualTo(1);
    }

    @LongTest
    @Test
    void aListenerThatUsesUpTheMemoryIsNamedByItsThread() {
        bed.listeners.add(new JobListener() {
            @Override
            public void exchanged(int settled, int claimed, Duration took) {
                throw new OutOfMemoryError("Metaspace");
            }
        });
        bed.push("default", payload("Fine", "j1", "[]"));
        bed.start(new Jobs());

        await().atMost(PATIENCE).until(() -> !ended.isEmpty());
        assertThat(said()).contains("on thread jobs-default-fetcher: java.lang.OutOfMemoryError: Metaspace");
    }

    /** A stream that is full and a lock of a logging library that its dying thread holds are such. */
    @Test
    void aProcessWhoseLastWordsGetStuckIsEndedByItsNextBeats() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch stuck = new CountDownLatch(1);
        System.setErr(new PrintStream(err) {
            @Override
            public void println(String text) {
                stuck.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        ThreadGuard guard = new ThreadGuard(ended::add);
        Thread dying = new Thread(() -> guard.failed("a thread", new OutOfMemoryError("Java heap space")));
        dying.start();
        stuck.await();

        assertThat(guard.mayBeat()).isFalse();
        assertThat(ended).as("it may still be speaking").isEmpty();
        assertThat(guard.mayBeat()).isFalse();
        assertThat(ended).hasSize(1);
        release.countDown();
        dying.join();
        assertThat(guard.mayBeat()).as("the application decided to go on").isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatFailsWhileItIsSaidDoesNotKeepTheProcessFromItsEnd(boolean whileItFindsTheJob) {
        OutOfMemoryError again = new OutOfMemoryError("while it said so");
        ThreadGuard guard = new ThreadGuard(ended::add);
        guard.says(new OutOfMemoryNotice<>(
                thread -> {
                    if (whileItFindsTheJob) {
                        throw again;
                    }
                    return null;
                },
                (job, reason) -> {
                    throw again;
                }));

        guard.failed("a thread", new OutOfMemoryError("Java heap space"));

        assertThat(ended).hasSize(1);
        assertThat(said()).contains("Memory ran out on", "ends");
    }
}
