package dev.jobs.ends;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.ArgumentMasking;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.batches.BatchAccess;
import dev.jobs.batches.BatchCancellations;
import dev.jobs.batches.BatchPart;
import dev.jobs.batches.CancelledBatches;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EarlyOutcome;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.JobRunner;
import dev.jobs.engine.Outcome;
import dev.jobs.iterations.Iteration;
import dev.jobs.iterations.IterationPart;
import dev.jobs.iterations.IterationStore;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import dev.jobs.unique.LockPart;
import dev.jobs.unique.UniqueRule;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cancellations that a worker remembers and that Redis has dropped, as when a dead job is run again: no job ends for one,
 * at whatever point of its execution the worker thinks of it, and whether or not Redis can be asked.
 */
class RememberedCancellationsIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private static final String BATCH = "0123456789abcdef";
    private static final String JOB_OF_BATCH = BATCH + "00000001";

    private enum Redis {
        THERE,
        AWAY
    }

    private final List<String> ran = new CopyOnWriteArrayList<>();
    private Runnable inside = () -> {};

    private RedisProxy proxy;
    private EngineTestBed bed;
    private ChoreTestBed process;
    private Cancellations stored;
    private final CancelledJobs jobs = new CancelledJobs();
    private final CancelledBatches batches = new CancelledBatches();
    private JobRunner runner;

    @BeforeEach
    void open() {
        redis.flush();
        proxy = new RedisProxy(redis.port());
        bed = new EngineTestBed(redis, redis.connections("", proxy.port()));
        process = new ChoreTestBed(bed);
        stored = new Cancellations(process.connection, process.keys);
        EngineEnvironment environment = process.context.environment();
        FailureHandling failures = new FailureHandling(
                JobHooks.none(),
                25,
                PayloadTimes.MILLISECONDS,
                environment.clock(),
                environment.random(),
                RunParts.notes());
        CancelPart cancel = new CancelPart(jobs, stored, failures);
        runner = new JobRunner(
                JobRegistry.of(new Jobs()),
                JobHooks.none(),
                failures,
                environment,
                List.of(
                        new BatchPart(
                                BatchAccess.NONE,
                                new ArgumentMasking(JobRegistry.of(), List.of()),
                                failures,
                                batches,
                                environment.nanoTime(),
                                new BatchCancellations(process.connection, process.keys).amongHeld(Stream::empty)),
                        new LockPart(job -> {
                            inside.run();
                            return true;
                        }),
                        cancel,
                        IterationPart.inRedis(
                                new IterationStore(process.connection, process.keys),
                                process.context,
                                bed.config.shutdownTimeout(),
                                bed.config.maxIterationRuntime(),
                                cancel::ask,
                                job -> false)));
        process.connection.keepAlive(); // it is open before Redis goes away
    }

    @AfterEach
    void close() {
        process.close();
        bed.close();
        proxy.close();
    }

    final class Jobs {

        @Job("Note")
        void note(String what) {
            ran.add(what);
        }

        @Job("Fails")
        void fails(String how) {
            ran.add(how);
            inside.run();
            if (how.equals("gives up")) {
                throw new JobInterruptedException("as asked");
            }
            throw new IllegalStateException(how);
        }

        @Job(value = "Interruptible", interruptible = true)
        void interruptible(JobContext job) {
            ran.add("interruptible");
        }

        @Job("Walk")
        Iteration<Integer> walk() {
            return Iteration.over(IntStream.range(0, 3).boxed().toList())
                    .each(element -> {
                        ran.add("element " + element);
                        if (element == 0) {
                            inside.run();
                        }
                    })
                    .onCancel(() -> ran.add("cancel"));
        }
    }

    private ClaimedJob claimed(String name, String jid, String arguments) {
        String payload = EngineTestBed.payload(
                name,
                jid,
                arguments,
                "\"retry\":5",
                jid.equals(JOB_OF_BATCH) ? "\"jb\":1" : "\"x\":1",
                name.equals("Interruptible") ? "\"" + UniqueRule.LOCK + "\":1" : "\"y\":1");
        ClaimedJob job = new ClaimedJob(
                new Claimed("0:1:1", "default", payload.getBytes(UTF_8), 0),
                process.lease.current(),
                process.context.nanos(),
                () -> false);
        assertThat(job.begin(process.context.nanos())).isTrue();
        return job;
    }

    private void remember(String... jids) {
        jobs.add(List.of(jids));
    }

    private void rememberBatch() {
        batches.refresh(
                process.context.environment().nanoTime(),
                id -> new CancelledBatches.Reply(Set.of(BATCH), Set.of(BATCH)));
        process.pass(Duration.ofMillis(1));
    }

    private void redisIs(Redis redis) {
        if (redis == Redis.AWAY) {
            proxy.refuse();
        }
    }

    private void redisIsBack() {
        proxy.admit();
        await().ignoreExceptions().until(() -> stored.count() >= 0);
    }

    @Test
    void aJobWaitsIfRedisCannotBeAskedAndRunsOnceItCan() {
        remember("j1");
        proxy.refuse();
        Outcome outcome = runner.run(claimed("Note", "j1", "[\"one\"]"));
        assertThat(outcome).isInstanceOf(EarlyOutcome.Interrupted.class);
        assertThat(ran).isEmpty();

        redisIsBack();
        assertThat(runner.run(claimed("Note", "j1", "[\"one\"]"))).isInstanceOf(Outcome.Done.class);
        assertThat(ran).containsExactly("one");
    }

    @Test
    void aJobThatIsCancelledStillEndsOnceRedisCanBeAsked() {
        stored.cancel("j1", bed.environment.clock().instant());
        remember("j1");
        proxy.refuse();
        assertThat(runner.run(claimed("Note", "j1", "[\"one\"]"))).isInstanceOf(EarlyOutcome.Interrupted.class);

        redisIsBack();
        assertThat(runner.run(claimed("Note", "j1", "[\"one\"]")).ending()).isEqualTo(Ending.CANCELLED);
        assertThat(ran).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void whatARunningJobThrowsIsNotTakenForItsEnd(Redis state) {
        inside = () -> {
            remember("j1");
            redisIs(state);
        };
        Outcome outcome = runner.run(claimed("Fails", "j1", "[\"fails\"]"));
        assertThat(outcome.ending()).isEqualTo(state == Redis.AWAY ? Ending.INTERRUPTED : Ending.RETRIED);
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatCouldBeInterruptedBeginsOrWaits(Redis state) {
        inside = () -> {
            remember("j1");
            redisIs(state);
        };
        Outcome outcome = runner.run(claimed("Interruptible", "j1", "[]"));
        assertThat(outcome).isInstanceOf(state == Redis.AWAY ? EarlyOutcome.Interrupted.class : Outcome.Done.class);
        assertThat(ran).hasSize(state == Redis.AWAY ? 0 : 1);
    }

    @ParameterizedTest
    @EnumSource
    void anIterationGoesOn(Redis state) {
        inside = () -> {
            remember("j1");
            redisIs(state);
        };
        assertThat(runner.run(claimed("Walk", "j1", "[]"))).isInstanceOf(Outcome.Done.class);
        assertThat(ran).containsExactly("element 0", "element 1", "element 2");
    }

    @Test
    void anIterationWaitsIfRedisCannotBeAsked() {
        remember("j1");
        proxy.refuse();
        assertThat(runner.run(claimed("Walk", "j1", "[]"))).isInstanceOf(EarlyOutcome.Interrupted.class);
        assertThat(ran).isEmpty();
    }

    @Test
    void aKeyThatCannotBeReadKeepsNoJobFromItsWork() {
        remember("j1");
        redis.texts().set("jobs:cancelled", "text");
        redis.texts().set("jobs:batches:cancelled", "text");
        assertThat(runner.run(claimed("Note", "j1", "[\"one\"]"))).isInstanceOf(Outcome.Done.class);
        rememberBatch();
        assertThat(runner.run(claimed("Note", JOB_OF_BATCH, "[\"two\"]"))).isInstanceOf(Outcome.Done.class);
    }

    @Test
    void aJobOfABatchRunsIfTheBatchIsNoLongerCancelled() {
        rememberBatch();
        assertThat(runner.run(claimed("Note", JOB_OF_BATCH, "[\"one\"]"))).isInstanceOf(Outcome.Done.class);
    }

    @Test
    void aJobOfABatchWaitsIfRedisCannotBeAsked() {
        rememberBatch();
        proxy.refuse();
        assertThat(runner.run(claimed("Note", JOB_OF_BATCH, "[\"one\"]"))).isInstanceOf(EarlyOutcome.Interrupted.class);
        assertThat(ran).isEmpty();

        redisIsBack();
        process.pass(CancelledBatches.FRESH);
        assertThat(runner.run(claimed("Note", JOB_OF_BATCH, "[\"one\"]"))).isInstanceOf(Outcome.Done.class);
    }

    @Test
    void manyJobsOfACancelledBatchCostOneQuestion() {
        redis.texts().zadd("jobs:batches:cancelled", 1, BATCH);
        rememberBatch();
        List<ClaimedJob> together = IntStream.range(0, 100)
                .mapToObj(i -> claimed("Note", JOB_OF_BATCH, "[\"one\"]"))
                .toList();
        process.pass(Duration.ofMillis(1));
        redis.texts().configResetstat();
        together.forEach(job -> assertThat(runner.run(job).ending()).isEqualTo(Ending.SKIPPED));
        assertThat(redis.stat("commandstats", "cmdstat_[a-z]*score:calls=(\\d+)"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fails", "gives up"})
    void whatAJobOfABatchThrowsIsNotTakenForItsEnd(String how) {
        for (Redis state : Redis.values()) {
            rememberBatch();
            inside = () -> redisIs(state);
            Outcome outcome = runner.run(claimed("Fails", JOB_OF_BATCH, "[\"" + how + "\"]"));
            assertThat(outcome.ending()).isEqualTo(how.equals("fails") ? Ending.RETRIED : Ending.INTERRUPTED);
        }
    }
}
