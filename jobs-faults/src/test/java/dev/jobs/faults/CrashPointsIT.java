package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchJobId;
import dev.jobs.faults.CrashPoint.Work;
import dev.jobs.faults.WorkerSettings.Program;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A worker is killed at each point of its life and of its jobs' lives, one after the other. */
@FaultTest
class CrashPointsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String RECURRING = "cron_job:default:often";
    private static final String PASSED = "2026-01-01T00:00:00Z";

    @ParameterizedTest
    @EnumSource
    void aWorkerKilledHereLosesNothing(CrashPoint point) {
        crash(point, Program.ENGINE);
    }

    /** Points at which a job ends or moves; all points in the long run. */
    static Stream<CrashPoint> pointsToCountAt() {
        return Arrays.stream(CrashPoint.values()).filter(point -> Dose.current().of(point.isAtAnEnd(), true));
    }

    @ParameterizedTest
    @MethodSource("pointsToCountAt")
    void aWorkerKilledHereHasTheEffectsOfEachEndOnce(CrashPoint point) {
        crash(point, Program.ENGINE_WITH_EFFECTS);
    }

    private static void crash(CrashPoint point, Program program) {
        boolean counts = program == Program.ENGINE_WITH_EFFECTS;
        String name = (counts ? "counted-crash-" : "crash-")
                + point.name().toLowerCase(Locale.ROOT).replace('_', '-');
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial(name, server.uri())) {
            WorkerSettings settings = WorkerSettings.of(server.uri(), "default").withProgram(program);
            leaveOrphans(trial, point, settings);
            Worker victim = startVictim(trial, proxy, point, settings.withUri(proxy.uri()));
            assertThat(victim.awaitEnd(PATIENCE)).as("reached the point").isTrue();
            trial.release("killed");
            if (point.work == Work.TWO_OF_A_LIMITED_QUEUE) {
                trial.redis.hset("jobs:limits", "s:queue:default", "100"); // all threads are probed at once afterwards
            }
            Worker survivor = trial.start(settings.withCapsules("default/10/default callbacks " + ClientJobs.IN_TURN));
            if (point.work == Work.ONE_THAT_CANCELS) {
                trial.awaitFinished(trial.producer.accepted());
                trial.awaitHeartbeats(survivor, 2); // by the second it knows what the answer to the first one said
                trial.redis.zadd(
                        "schedule", 0, trial.redis.zrange("schedule", 0, 0).get(0)); // what it cancelled
            }
            awaitRecurring(trial, point);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.executed()).as("none was buried").isEqualTo(verdict.enqueued());
            trial.assertRecovered(verdict, point.recovered, point.duplicates);
            assertThat(trial.redis.keys("unique:*")).as("locks without a job").isEmpty();
            assertThat(trial.redis.keys("jobs:permits:*")).as("permits").isEmpty();
            assertThat(trial.redis.keys("jobs:parked:*")).as("parked jobs").isEmpty();
            assertThat(trial.redis.keys("jobs:twin:*"))
                    .as("what is known of replaceable jobs")
                    .isEmpty();
            Map<String, String> counted = trial.redis.hgetall(EndCounts.KEY);
            assertThat(counted)
                    .as("what became of jobs")
                    .isEqualTo(counts ? expected(point, trial, verdict) : Map.of());
            assertThat(trial.redis.keys("jobs:tags:*")).as("turns").isEmpty();
            assertOthers(point, trial);
        }
    }

    /** The survivor does what the victim didn't, and nothing twice. */
    private static void awaitRecurring(Trial trial, CrashPoint point) {
        switch (point.work) {
            case ONE_DELAYED -> {
                await().until(() -> others(trial).size() == 1);
                awaitField(trial, "jobs_due"); // so it saw the end of the job, and fires no second one
            }
            case A_DELAY -> awaitField(trial, "jobs_due");
            case A_PAUSE -> await().until(() -> !PASSED.equals(trial.redis.hget(RECURRING, "jobs_passed")));
            default -> {}
        }
    }

    private static void awaitField(Trial trial, String field) {
        await().until(() -> trial.redis.hexists(RECURRING, field));
    }

    /** As Java stores one. */
    private static void recur(Trial trial, Map<String, String> fields) {
        Map<String, String> all = new HashMap<>(fields);
        all.put("name", "often");
        all.put("klass", "Work");
        all.put("args", "[10]");
        // To a queue that only the survivor serves: the victim might claim what it has just fired.
        all.put("message", "{\"retry\":true,\"queue\":\"callbacks\",\"class\":\"Work\",\"args\":[10]}");
        trial.redis.hset(RECURRING, all);
        trial.redis.sadd("jobs:recurring:default", RECURRING);
    }

    /** What became of the jobs that the job of the victim pushed or cancelled, or that it fired; these have not been accepted. */
    private static void assertOthers(CrashPoint point, Trial trial) {
        assertThat(others(trial))
                .as("what ran besides")
                .hasSize(
                        switch (point) {
                            case BEFORE_A_PUSH_IN_TURN -> 1;
                            case AFTER_A_PUSH_IN_TURN -> 2; // one by each execution, under its own id
                            case BEFORE_A_RECURRING_JOB_IS_FIRED, AFTER_A_RECURRING_JOB_IS_FIRED -> 1;
                            default -> 0;
                        });
        assertThat(trial.redis.zrange("jobs:cancelled", 0, -1))
                .as("cancellations, and what keeps their newest time")
                .isEqualTo(point.work == Work.ONE_THAT_CANCELS ? List.of("") : List.of());
    }

    /** The jobs that ran without having been accepted. */
    private static Set<String> others(Trial trial) {
        Set<String> others = trial.executions().stream().map(Execution::jid).collect(Collectors.toSet());
        others.removeAll(trial.producer.accepted());
        return others;
    }

    /** By outcome, as the effects must have counted it. */
    private static Map<String, String> expected(CrashPoint point, Trial trial, Verdict verdict) {
        Map<String, String> expected = new HashMap<>();
        expected.put("done", Integer.toString(verdict.enqueued() + others(trial).size()));
        if (verdict.recovered() > 0) {
            expected.put("recovered", Long.toString(verdict.recovered()));
        }
        if (List.of(Work.ONE_FAILING, Work.ONE_FAILING_ITERATION, Work.ONE_TIMED_OUT)
                .contains(point.work)) {
            expected.put("retried", "1");
        }
        return expected;
    }

    /** Jobs of a worker that died before. */
    private static void leaveOrphans(Trial trial, CrashPoint point, WorkerSettings settings) {
        if (point.work == Work.ORPHANS) {
            Worker dead = trial.start(settings.withCapsules("default/" + Work.THREADS + "/default"));
            List<String> jids = trial.producer.enqueueAll(
                    "default", "Until", Collections.nCopies(Work.THREADS, List.of("orphans-may-end")));
            trial.awaitStarts(jids.size());
            dead.kill();
            trial.release("orphans-may-end");
        }
    }

    private static Worker startVictim(Trial trial, FaultProxy proxy, CrashPoint point, WorkerSettings settings) {
        Holder victim = new Holder();
        if (point.work != Work.A_STOP) {
            proxy.fault(point.then(victim::kill));
        }
        switch (point.work) {
            case ONE_JOB -> trial.producer.enqueue("default", "Work", 10);
            case ONE_FAILING -> trial.producer.enqueue("default", "FailOnce", 10);
            case ONE_ITERATION -> trial.producer.enqueue("default", "Walk", 3);
            case ONE_FAILING_ITERATION -> trial.producer.enqueue("default", "WalkAndFailOnce", 3);
            case ONE_UNIQUE -> trial.producer.enqueueReplaceable("default", "Work", 10);
            case ONE_EXPIRING -> trial.producer.enqueueExpiring(Duration.ofDays(1), "default", "Work", 10);
            case TWO_WITH_ONE_PERMIT -> {
                trial.redis.hset("jobs:limits", "s:erp", "1");
                trial.producer.enqueueLimited("default", "erp", "Work", 10);
                trial.producer.enqueueLimited("default", "erp", "Work", 10);
            }
            case TWO_OF_A_LIMITED_QUEUE -> {
                trial.redis.hset("jobs:limits", Map.of("s:queue:default", "1", "queues", "default"));
                trial.producer.enqueueAll("default", "Work", Collections.nCopies(2, List.of(10)));
            }
            case ONE_PARKED, ONE_SWEPT -> {
                trial.redis.hset("jobs:limits", "s:erp", "1");
                trial.producer.enqueueLimited("default", "erp", "Work", 10);
                trial.redis.zadd(
                        "jobs:parked:erp",
                        0,
                        "key\n0000000000000001\ndefault\n1\n" + trial.redis.rpop("queue:default"));
                trial.redis.zadd("jobs:wake", 0, point.work == Work.ONE_PARKED ? "erp\nkey" : "");
            }
            case ONE_IN_TURN -> trial.producer.enqueue(ClientJobs.IN_TURN, "Work", 10);
            case ONE_THAT_PUSHES -> trial.producer.enqueue("default", "PushInTurn");
            case ONE_THAT_CANCELS -> {
                try (RedisJobClient other = trial.producer.another()) {
                    trial.producer.enqueue(
                            "default", "Cancel", other.in(Duration.ofHours(1)).enqueue("Work", 10));
                }
            }
            case ONE_WITH_PROGRESS -> trial.producer.enqueue("default", "ReportUntil", "killed");
            case ONE_TIMED_OUT -> trial.producer.enqueue("default", "TimeOutOnce");
            case ONE_SCHEDULED -> trial.producer.enqueueIn(Duration.ofMillis(100), "default", "Work", 10);
            case A_BATCH -> createBatch(trial.producer);
            case ONE_DELAYED -> recur(trial, Map.of("cron", "@delay 1h", "jobs_due", PASSED));
            case A_DELAY -> recur(trial, Map.of("cron", "@delay 1h"));
            case A_PAUSE ->
                recur(
                        trial,
                        Map.of(
                                "cron", "@every 1h",
                                "status", "disabled",
                                "jobs_missed", "all 10",
                                "jobs_passed", PASSED));
            case NOTHING, ORPHANS, A_STOP -> {}
        }
        String served =
                switch (point.work) {
                    case ORPHANS -> "nothing-here"; // it must not claim the jobs that it is to reap
                    case ONE_IN_TURN -> ClientJobs.IN_TURN;
                    default -> "default";
                };
        Worker worker = victim.hold(trial.start(settings.withCapsules("default/10/" + served)));
        if (point.work == Work.A_STOP) {
            trial.awaitStarts(trial.producer.enqueue("default", "Until", "stopped"), 1);
            proxy.fault(point.then(() -> {
                trial.release("stopped"); // by now the job has been handed back, or its worker dies
                victim.kill();
            }));
            worker.terminate();
        }
        return worker;
    }

    /** A batch of a job, and the callback that must run once. */
    private static void createBatch(Producer producer) {
        String id = producer.batches().create("crash", batch -> batch.add(JobCall.named("Work", 10))
                .onFinish(JobCall.named("Work", 10).queue("callbacks")));
        producer.accepted(new BatchJobId(id, 0).jid());
        producer.accepted(new BatchJobId(id, BatchJobId.FIRST_CALLBACK + BatchEvent.FINISHED.ordinal() + 1).jid());
    }

    /** The fault needs the worker, and the worker the faulty proxy. */
    private static final class Holder {

        private Worker held;

        synchronized Worker hold(Worker worker) {
            held = worker;
            notifyAll();
            return worker;
        }

        synchronized void kill() {
            while (held == null) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            held.kill();
        }
    }

    @Test
    void aWorkerKilledInTheMiddleOfAJobLosesNothing() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("crash-in-a-job", server.uri())) {
            WorkerSettings settings = WorkerSettings.of(server.uri(), "default");
            Worker victim = trial.start(settings);
            trial.awaitStarts(trial.producer.enqueue("default", "Until", "killed"), 1);
            victim.kill();
            trial.release("killed");
            trial.start(settings);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertRecovered(verdict, 1, 1);
        }
    }
}
