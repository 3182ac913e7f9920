package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Redis answers, but refuses all or some writes, or has lost data. */
@FaultTest
class RefusedWritesIT {

    private static final int WORKERS = 2;
    /** Of a caller that doesn't wait until Redis takes its jobs. */
    private static final Duration HASTE = Duration.ofSeconds(1);

    private final Dose dose = Dose.current();
    private final Duration time = dose.of(WorkerSettings.LONGER_THAN_A_LEASE, Duration.ofSeconds(60));
    private final Path directory = Trial.directory("redis");

    @Test
    void noWorkerIsGivenUpWhileWritesAreRefused() {
        try (RedisServer server = new RedisServer(directory, "--save", "3600 1", "--lua-time-limit", "200");
                Trial trial = new Trial("refused-writes", server.uri());
                Producer hasty = new Producer(server.uri(), HASTE)) {
            trial.startAll(WORKERS, WorkerSettings.of(server.uri(), "default"));
            trial.takeBaseline();
            withoutReplicas(trial, hasty);
            busy(server, trial, hasty);
            if (dose == Dose.LONG) {
                withoutDisk(trial, hasty);
                withoutRights(trial, hasty); // a client that is denied a command retries only after ten seconds
            }
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertUnharmed(verdict);
        }
    }

    private void withoutReplicas(Trial trial, Producer hasty) {
        endure(
                trial,
                hasty,
                "no_replicas",
                Kind.UNSAFE,
                () -> trial.redis.configSet("min-replicas-to-write", "1"),
                () -> trial.redis.configSet("min-replicas-to-write", "0"));
    }

    private void withoutRights(Trial trial, Producer hasty) {
        endure(
                trial,
                hasty,
                "denied",
                Kind.DENIED,
                () -> trial.redis.aclSetuser(
                        "default",
                        AclSetuserArgs.Builder.removeCommand(CommandType.EVALSHA)
                                .removeCommand(CommandType.EVAL)),
                () -> trial.redis.aclSetuser("default", AclSetuserArgs.Builder.allCommands()));
    }

    /** A snapshot that can't be saved, since its path is a directory. */
    private void withoutDisk(Trial trial, Producer hasty) {
        Path snapshot = directory.resolve("dump.rdb");
        endure(
                trial,
                hasty,
                "misconf",
                Kind.UNSAFE,
                () -> {
                    createDirectory(snapshot);
                    save(trial, "err");
                },
                () -> {
                    delete(snapshot);
                    save(trial, "ok");
                });
    }

    private static void save(Trial trial, String outcome) {
        trial.redis.bgsave();
        await().until(() -> trial.redis.info("persistence").contains("rdb_last_bgsave_status:" + outcome));
    }

    private void busy(RedisServer server, Trial trial, Producer hasty) {
        RedisClient client = RedisClient.create(server.uri());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            endure(
                    trial,
                    hasty,
                    "busy",
                    Kind.BUSY,
                    () -> connection.async().eval("while true do end", ScriptOutputType.STATUS),
                    () -> trial.redis.scriptKill());
        } finally {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    /** Lets a fault last, with running jobs that finish in the meantime, and waits until work resumes by itself. */
    private void endure(Trial trial, Producer hasty, String fault, Kind kind, Runnable begin, Runnable end) {
        String file = startJobs(trial, "default");
        begin.run();
        await("the fault").until(() -> whyRefused(trial, hasty, "default") == kind);
        trial.release(file);
        Trial.letPass(time);
        end.run();
        Instant back = Instant.now();
        await("new jobs").until(() -> whyRefused(trial, hasty, "default") == null);
        trial.note(fault + "_resume_ms", trial.awaitStartAfter(back).toMillis());
    }

    /** Starts a job on every thread of every worker. Returns the file that they wait for. */
    private static String startJobs(Trial trial, String queue) {
        String file = "go-" + UUID.randomUUID();
        int threads = trial.alive().stream()
                .mapToInt(worker -> worker.settings.concurrency())
                .sum();
        trial.awaitStarts(trial.producer.enqueueAll(queue, "Until", Collections.nCopies(threads, List.of(file))));
        return file;
    }

    /** Tries to enqueue a job. Returns the reason of the failure, or null. */
    private static @Nullable Kind whyRefused(Trial trial, Producer hasty, String queue) {
        try {
            trial.producer.accepted(hasty.enqueue(queue, "Work", 10));
            return null;
        } catch (JobStoreException e) {
            return e.kind();
        }
    }

    @Test
    void aQueueThatIsNoListDelaysNoOtherAndItsJobsRunOnceItIsMended() {
        try (RedisServer server = new RedisServer(directory);
                Trial trial = new Trial("refused-wrong-type", server.uri());
                Producer hasty = new Producer(server.uri(), HASTE)) {
            List<Worker> workers = trial.startAll(WORKERS, WorkerSettings.of(server.uri(), "broken", "sound"));
            trial.takeBaseline();
            String file = startJobs(trial, "sound");
            trial.producer.enqueueAll("broken", "Work", Collections.nCopies(50, List.of(10)));
            trial.redis.rename("queue:broken", "aside");
            trial.redis.set("queue:broken", "no list");
            trial.release(file);
            trial.awaitFinished(trial.producer.enqueueAll("sound", "Work", Collections.nCopies(200, List.of(10))));
            await("a refusal").until(() -> whyRefused(trial, hasty, "broken") == Kind.WRONG_TYPE);
            trial.redis.rename("aside", "queue:broken");
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertUnharmed(verdict);
            for (Worker worker : workers) {
                assertThat(worker.said())
                        .filteredOn(line -> line.contains("The key of queue broken is not a list"))
                        .hasSize(1);
            }
        }
    }

    @Test
    void heldJobsAreRecoveredWhenTheIndexOfProcessesIsDeleted() {
        try (RedisServer server = new RedisServer(directory);
                Trial trial = new Trial("refused-index-deleted", server.uri())) {
            List<Worker> workers = trial.startAll(WORKERS, WorkerSettings.of(server.uri(), "default"));
            trial.takeBaseline();
            String file = startJobs(trial, "default");
            trial.producer.enqueueAll("default", "Work", Collections.nCopies(200, List.of(10)));
            trial.redis.del("jobs:beats");
            for (Worker worker : workers) {
                await("another identity").until(() -> worker.said().stream()
                        .anyMatch(line -> line.contains("This process continues as ")));
            }
            trial.release(file);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.recovered()).isPositive();
            assertThat(verdict.duplicates()).isLessThanOrEqualTo((int) verdict.recovered());
        }
    }

    private static void createDirectory(Path path) {
        try {
            Files.createDirectory(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
