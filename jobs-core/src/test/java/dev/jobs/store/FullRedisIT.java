package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.text;
import static dev.jobs.store.Worker.payloads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.ends.Cancellations;
import dev.jobs.iterations.IterationStore;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Fenced;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.Ledger;
import dev.jobs.metrics.DeployMarks;
import dev.jobs.metrics.DurationBuckets;
import dev.jobs.metrics.JobMetrics;
import dev.jobs.metrics.JobTimings;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobPushes.Due;
import dev.jobs.trash.JobTrash;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** At {@code maxmemory} without eviction, new jobs are refused, and everything else continues. */
class FullRedisIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker worker;

    @BeforeEach
    void oneProcess() {
        bed.clear();
        worker = bed.worker("one").join();
    }

    @AfterEach
    void drain() {
        bed.drain();
    }

    @Test
    void claims() {
        bed.push("mail", "a", "b", "c");
        bed.fill();

        assertThat(payloads(worker.take(2, "none", "mail"))).containsExactly("a", "b");
        assertThat(payloads(worker.repeat(worker.last()).claimed())).containsExactly("a", "b");
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(2, 0, 0, 0, 0, 0, 2));
    }

    @Test
    void claimsBesideABrokenQueue() {
        bed.redis.texts().set("queue:broken", "text");
        bed.push("mail", "a");
        bed.fill();

        assertThat(payloads(worker.take(2, "broken", "mail"))).containsExactly("a");
    }

    @Test
    void looksIntoEmptyQueues() {
        bed.fill();

        assertThat(worker.take(5, "mail")).isEmpty();
    }

    @Test
    void settlesInEveryWay() {
        bed.push("mail", "ack", "drop", "retry", "dead", "back", "again", "end", "later");
        worker.take(8, "mail");
        bed.redis.texts().hset("it-j1", "c", "7");
        bed.fill();

        Reply reply = worker.settle(
                Settlement.discarded("0:1:2:mail"),
                Settlement.retried("0:1:3:mail", Duration.ofSeconds(5), bytes("retry")),
                Settlement.dead("0:1:4:mail", bytes("dead"), true),
                Settlement.handedBack("0:1:5:mail", "mail", true),
                Settlement.interrupted("0:1:6:mail", "mail", bytes("again")),
                bed.end("0:1:7:mail", "j1"),
                Settlement.postponed("0:1:8:mail", Duration.ofSeconds(5), bytes("later")),
                Settlement.done("0:1:1:mail"));

        assertThat(reply.lateAcks()).isZero();
        assertThat(reply.moves()).containsExactly(1, 1, 1, 1, 1, 1, 1);
        assertThat(bed.members("schedule")).containsExactly("later");
        assertThat(bed.redis.texts().exists("it-j1")).isZero();
        assertThat(bed.members("retry")).containsExactly("retry");
        assertThat(bed.members("dead")).containsExactly("dead");
        assertThat(bed.queue("mail")).containsExactly("back", "again");
        assertThat(bed.redis.texts().get("stat:processed")).isEqualTo("7");
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void keepsHowFarAnIterationIsAndWhetherItIsCancelled() {
        bed.push("mail", "a");
        worker.take(1, "mail");
        IterationStore store = new IterationStore(bed.connection, bed.keys);
        bed.fill();

        assertThat(store.flush(new IterationStore.Progress("j1", "one", "0:1:1:mail", 1, bytes("7"), Duration.ZERO)))
                .isEqualTo(IterationStore.Kept.KEPT);
        assertThat(new Cancellations(bed.connection, bed.keys).cancel("j2", Instant.ofEpochSecond(5)))
                .isEqualTo(Instant.ofEpochSecond(5));
    }

    @Test
    void settlesWithoutAnAckInFront() {
        bed.push("mail", "a", "b");
        worker.take(2, "mail");
        bed.fill();

        assertThat(worker.settle(Settlement.retried("0:1:1:mail", Duration.ZERO, bytes("a")))
                        .moves())
                .containsExactly(1);
        assertThat(worker.settle(Settlement.dead("0:1:2:mail", bytes("b"), true))
                        .moves())
                .containsExactly(1);
    }

    @Test
    void answersWhenNothingOfABatchCanBeDone() {
        bed.push("mail", "a");
        worker.take(1, "mail");
        bed.redis.texts().set("retry", "text");
        bed.fill();

        assertThat(worker.settle(Settlement.retried("0:1:1:mail", Duration.ZERO, bytes("a")))
                        .moves())
                .containsExactly(-1);
        assertThat(worker.settle(Settlement.done("0:7:7:mail")).lateAcks()).isEqualTo(1);
        assertThat(worker.settle(Settlement.discarded("0:7:7:mail")).moves()).containsExactly(0);
    }

    @Test
    void beatsAndRunsRounds() {
        bed.fill();
        for (int i = 0; i < 20; i++) {
            bed.letARoundBeDue();
            assertThat(worker.leases.beat("one", Duration.ofSeconds(9))).isInstanceOf(Alive.class);
        }
        assertThat(bed.redis.texts().zscore("jobs:beats", "one")).isEqualTo(21);
        assertThat(bed.redis.texts().get("dear-leader")).isEqualTo("one");
    }

    @Test
    void letsNewProcessesIn() {
        bed.fill();

        Worker newcomer = bed.worker("two").join();

        assertThat(newcomer.take(5, "mail")).isEmpty();
    }

    @Test
    void recoversTheJobsOfTheDead() {
        Worker gone = bed.worker("gone").join();
        bed.push("mail", "a", "b", "pill");
        gone.take(3, "mail");
        bed.redis.texts().hset("jobs:recovered", ScriptTestBed.sha1("pill"), "2");
        bed.redis.texts().zadd("jobs:recovered:times", bed.now(), ScriptTestBed.sha1("pill"));
        bed.fill();
        for (int i = 0; i <= ProcessLeases.ROUNDS; i++) {
            bed.letARoundBeDue();
            worker.beat();
        }
        assertThat(gone.beat()).isInstanceOf(Fenced.class);

        assertThat(bed.leases().reap("gone").finished()).isTrue();

        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("a", "b");
        assertThat(bed.members("dead")).containsExactly("pill");
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(3, 0, 0, 0, 2, 1, 0));
        assertThat(bed.redis.texts().hvals("jobs:recovered")).containsExactlyInAnyOrder("1", "1", "3");
    }

    @Test
    void condemnsUnknownOwners() {
        bed.redis.texts().hset("jobs:in:stranger", "0:1:1:mail", "a");
        bed.fill();

        assertThat(bed.condemnUnknown()).isEqualTo(1);
        assertThat(bed.leases().reap("stranger").recovered()).isEqualTo(1);
        assertThat(bed.queue("mail")).containsExactly("a");
    }

    @Test
    void letsAProcessLeaveThatHoldsJobs() {
        bed.push("mail", "a");
        worker.take(1, "mail");
        bed.fill();

        assertThat(worker.leases.leave("one")).isEqualTo(1);
        assertThat(bed.leases().givenUp()).containsExactly("one");
    }

    @Test
    void promotesDueJobs() {
        JobSets sets = bed.sets();
        bed.redis.texts().zadd("schedule", 1, "one");
        bed.redis.texts().zadd("schedule", 1, "two");
        bed.redis.texts().zadd("schedule", 1, "three");
        bed.push("mail", "waiting");
        bed.fill();

        assertThat(sets.due(10).scheduled()).hasSize(3);
        assertThat(sets.move(
                        StoredSet.SCHEDULE,
                        List.of(
                                sets.toQueue(bytes("one"), "low", bytes("ONE")),
                                sets.toDead(bytes("two"), bytes("TWO")),
                                sets.toSet(bytes("three"), StoredSet.SCHEDULE, Duration.ofHours(1), bytes("three")))))
                .containsExactly(1, 1, 1);
        assertThat(sets.moveFromQueue("mail", List.of(sets.toDead(bytes("waiting"), bytes("waiting")))))
                .containsExactly(1);

        assertThat(bed.queue("low")).containsExactly("ONE");
        assertThat(bed.members("dead")).containsExactly("TWO", "waiting");
        assertThat(bed.members("schedule")).containsExactly("three");
    }

    @Test
    void showsAProcessAndGivesItItsSignals() {
        ProcessRegistry registry = new ProcessRegistry(bed.connection, bed.keys);
        bed.redis.texts().lpush("one-signals", "TSTP");
        bed.fill();

        assertThat(registry.publish(
                        "one",
                        Map.of("info", "{}", "busy", "1"),
                        new ProcessRegistry.Work(true, List.of(), Map.of("thread", bytes("work")))))
                .isEqualTo(new ProcessRegistry.Published("TSTP", 1, "", List.of(), null));
        assertThat(bed.redis.texts().smembers("processes")).containsExactly("one");
        assertThat(bed.redis.texts().hgetall("one:work")).isEqualTo(Map.of("thread", "work"));
    }

    @Test
    void countsExecutionsAndMarksDeployments() {
        long[] histogram = new long[DurationBuckets.COUNT];
        histogram[0] = 2;
        long[] times = new long[JobTimings.NUMBERS];
        times[JobTimings.WAITED] = 3;
        List<JobTimings.Timed> timed = List.of(JobTimings.Timed.queue("mail", times));
        bed.fill();

        assertThat(new JobMetrics(bed.connection, bed.keys)
                        .add("one", 1, Instant.EPOCH, List.of(new JobMetrics.Counted("Job", 1, 5, histogram)), timed))
                .isZero();
        assertThat(new DeployMarks(bed.connection, bed.keys).mark("v1", Instant.EPOCH))
                .isTrue();

        assertThat(bed.redis.texts().hget("j|700101|0:00", "Job|p")).isEqualTo("3");
        assertThat(bed.redis.texts().hvals("19700101-marks")).containsExactly("v1");
    }

    @Test
    void refusesNewJobsAndLeavesNothingHalfDone() {
        TestPushes pushes = new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me");
        SortedMap<String, Object> before = bed.stored();
        bed.fill();

        assertThat(catchThrowableOfType(
                                JobStoreException.class, () -> pushes.push("mail", List.of(bytes("a"), bytes("b"))))
                        .kind())
                .isEqualTo(Kind.FULL);
        assertThat(catchThrowableOfType(
                                JobStoreException.class, () -> pushes.schedule(List.of(new Due("5", bytes("c")))))
                        .kind())
                .isEqualTo(Kind.FULL);

        assertThat(bed.stored()).isEqualTo(before);
        bed.drain();
        pushes.push("mail", List.of(bytes("a")));
        assertThat(bed.queue("mail")).containsExactly("a");
    }

    @Test
    void worksOffABacklogWhileEveryOtherJobFails() {
        String[] jobs = new String[500];
        for (int i = 0; i < jobs.length; i++) {
            jobs[i] = "job" + i;
        }
        bed.push("mail", jobs);
        bed.fill();
        int rounds = 0;
        List<Settlement> settlements = List.of();
        Reply reply = worker.exchange(0, 50, 1, List.of("mail"), settlements);
        while (!reply.claimed().isEmpty()) {
            settlements = reply.claimed().stream()
                    .map(job -> text(job.payload()).endsWith("7")
                            ? Settlement.retried(job.token(), Duration.ofSeconds(5), job.payload())
                            : Settlement.done(job.token()))
                    .toList();
            reply = worker.exchange(0, 50, 1, List.of("mail"), settlements);
            rounds++;
        }

        assertThat(rounds).isEqualTo(10);
        assertThat(bed.redis.texts().zcard("retry")).isEqualTo(50);
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(500, 450, 50, 0, 0, 0, 0));
    }

    @Test
    void movesJobsToTheTrashAndBack() {
        bed.push("mail", "a", "b");
        JobTrash trash = new JobTrash(bed.connection, bed.keys, JobTrash.Bounds.standard(), EffectSource.NONE);
        bed.fill();

        assertThat(trash.add("mail", List.of(bytes("a")), List.of(bytes("")), "x", false)
                        .fates())
                .containsExactly(JobTrash.Fate.KEPT);
        assertThat(bed.queue("mail")).containsExactly("b");
        assertThat(trash.restore(trash.newest(Instant.now(), 0, 1).items())).containsExactly(1);
        assertThat(bed.queue("mail")).containsExactly("a", "b");
    }
}
