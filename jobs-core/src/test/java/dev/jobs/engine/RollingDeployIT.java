package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobParam;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnection;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * Two versions of an application, alive at once, with a renamed job, an added and a removed parameter: no job is lost,
 * none dies, and none runs with a value that nobody gave or declared.
 */
class RollingDeployIT {

    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int RESTARTS = 20;
    private static final int JOBS_PER_RESTART = 80;
    private static final int DECLARED = 7;

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final Map<String, Integer> runs = new ConcurrentHashMap<>();
    private final Map<String, String> invented = new ConcurrentHashMap<>();

    /** The number of a job is part of its id, and all its values follow from it. */
    private void ran(String id, boolean right, String what) {
        runs.merge(id, 1, Integer::sum);
        if (!right) {
            invented.put(id, what);
        }
    }

    private static int number(String id) {
        return Integer.parseInt(id.substring(1));
    }

    final class VersionOne {
        @Job("Mail.send")
        void send(String id, int count) {
            ran(id, count == number(id), "sent " + count);
        }

        @Job("Grows")
        void grows(String id) {
            ran(id, true, "");
        }

        @Job("Shrinks")
        void shrinks(String id, String extra) {
            ran(id, extra.equals("extra of " + id), "shrinks " + extra);
        }
    }

    final class VersionTwo {
        @Job(value = "Mail.deliver", aliases = "Mail.send")
        void deliver(String id, int count) {
            ran(id, count == number(id), "delivered " + count);
        }

        /** Callers of version one give ids that begin with "a", and no priority. */
        @Job("Grows")
        void grows(String id, @JobParam(defaultValue = "" + DECLARED) int priority) {
            int expected = id.startsWith("a") ? DECLARED : number(id);
            ran(id, priority == expected, "grows " + priority);
        }

        @Job(value = "Shrinks", ignoredArguments = 1)
        void shrinks(String id) {
            ran(id, true, "");
        }
    }

    private static String jobOf(boolean second, int number) {
        String id = (second ? "b" : "a") + number;
        String quoted = "\"" + id + "\"";
        return switch (number % 3) {
            case 0 -> payload(second ? "Mail.deliver" : "Mail.send", id, "[" + quoted + "," + number + "]");
            case 1 -> payload("Grows", id, second ? "[" + quoted + "," + number + "]" : "[" + quoted + "]");
            default -> payload("Shrinks", id, second ? "[" + quoted + "]" : "[" + quoted + ",\"extra of " + id + "\"]");
        };
    }

    @Test
    @LongTest
    void aRollingDeployLosesNoJobAndInventsNoValue() {
        try (EngineTestBed bed = new EngineTestBed(redis);
                RedisConnection reading = bed.connections().open("jobs-test-processes")) {
            bed.config = EngineConfig.of(5, "default");
            JobEngine[] engines = new JobEngine[4];
            for (int i = 0; i < engines.length; i++) {
                engines[i] = bed.start(i == 2 ? new VersionTwo() : new VersionOne());
            }
            ProcessRegistry registry =
                    new ProcessRegistry(reading, bed.connections().keys());
            await().atMost(LONG).until(() -> registry.list().size() == engines.length);
            AtomicInteger enqueued = new AtomicInteger();
            AtomicBoolean over = new AtomicBoolean();
            ScheduledExecutorService callers = Executors.newSingleThreadScheduledExecutor();
            callers.scheduleAtFixedRate(
                    () -> {
                        for (int i = 0; i < 10 && !over.get(); i++) {
                            int number = enqueued.get();
                            bed.push("default", jobOf(number % 2 == 0, number / 2));
                            enqueued.incrementAndGet();
                        }
                    },
                    0,
                    50,
                    TimeUnit.MILLISECONDS);
            for (int restart = 0; restart < RESTARTS; restart++) {
                int due = restart * JOBS_PER_RESTART;
                await().atMost(LONG).until(() -> enqueued.get() >= due);
                // Engines 0 and 1 change their version again and again; 2 and 3 keep both versions alive until the end.
                int one =
                        restart < RESTARTS - 3 ? restart % 2 : List.of(0, 1, 3).get(restart - RESTARTS + 3);
                boolean second = restart >= RESTARTS - 3 || restart / 2 % 2 == 0;
                engines[one].stop();
                engines[one] = bed.start(second ? new VersionTwo() : new VersionOne());
            }
            over.set(true);
            callers.shutdown();
            await().atMost(LONG).until(callers::isTerminated);

            await().atMost(LONG).until(() -> runs.size() == enqueued.get());
            bed.awaitDrained("default");
            bed.stopEngines();

            assertThat(invented).as("values that nobody gave").isEmpty();
            assertThat(redis.texts().exists("dead", "schedule"))
                    .as("dead or waiting")
                    .isZero();
            assertThat(bed.deaths).isEmpty();
            assertThat(bed.books().conservationError()).isZero();
            assertThat(bed.ends)
                    .as("the versions met")
                    .extracting(EngineTestBed.Ended::ending)
                    .contains(Ending.POSTPONED);
        }
    }
}
