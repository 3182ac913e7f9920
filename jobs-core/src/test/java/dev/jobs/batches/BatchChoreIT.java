package dev.jobs.batches;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.jobs.JobCall;
import dev.jobs.Payload;
import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchStatus.State;
import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.batches.KeyedBatches.Lead;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.lists.JobSets;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a leader does for batches in which something ended, look by look, while no engine runs. */
class BatchChoreIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture REDIS = RedisFixture.start();

    private ChoreTestBed process;
    private BatchChore chore;

    BatchChoreIT() {
        super(REDIS);
    }

    @BeforeEach
    void open() {
        process = new ChoreTestBed(bed);
        JobSets sets = new JobSets(
                process.connection, process.keys, new DeadSetBounds(100, Duration.ofDays(1)), EffectSource.NONE);
        chore = new BatchChore(
                process.connection,
                process.keys,
                BatchRetention.defaults(),
                sets,
                process.context,
                new CancelledBatches(),
                Stream::empty);
    }

    @AfterEach
    void close() {
        process.close();
    }

    private BatchStatus find(String id) {
        return batches.find(id).orElseThrow();
    }

    private static long waiting(String queue) {
        return REDIS.texts().llen("queue:" + queue);
    }

    @Test
    void onlyTheLeaderEnqueuesCallbacksAndOnce() {
        String id = batches.create("empty", batch -> batch.onFinish(JobCall.named("tell")));
        process.follow("another");
        assertThat(chore.runOnce()).isEqualTo(Duration.ofSeconds(1));
        assertThat(find(id).events()).isEmpty();
        assertThat(waiting("default")).isZero();

        process.follow("me");
        chore.runOnce();
        chore.runOnce();
        assertThat(find(id).events()).containsKey(BatchEvent.FINISHED);
        assertThat(waiting("default")).isEqualTo(1);
    }

    @Test
    void aCancelledBatchFinishesWithoutSuccess() {
        String id = batches.create(
                "cancelled", batch -> batch.onFinish(JobCall.named("tell")).onSuccess(JobCall.named("tell")));
        batches.cancel(id);
        chore.runOnce();
        chore.runOnce();

        assertThat(find(id).events()).containsKey(BatchEvent.FINISHED).doesNotContainKey(BatchEvent.SUCCEEDED);
        assertThat(waiting("default")).as("callbacks").isEqualTo(1);
    }

    @Test
    void theLeaderCancelsTheChildrenThatADeadCallerLeft() {
        String id = batches.create("family", batch -> {
            batch.add(JobCall.named("tell"));
            for (int i = 0; i < 120; i++) {
                batch.child("child", child -> child.add(JobCall.named("tell"))
                        .child("grandchild", grandchild -> grandchild.add(JobCall.named("tell")))
                        .then("next", next -> next.add(JobCall.named("tell"))));
            }
        });
        // All that its caller has done.
        REDIS.texts().hset("jobs:batch:" + id, Map.of("cancelled", "1", "open", "0"));
        REDIS.texts().zadd("jobs:batches:cancelled", 1, id);

        while (chore.runOnce().isZero()) {
            // until there is nothing to do at once
        }

        assertThat(REDIS.texts().zrange("jobs:batches:open", 0, -1))
                .hasSize(361)
                .allSatisfy(each -> assertThat(find(each).cancelledAt()).isNotNull());
        process.follow("another");
        chore.runOnce();
    }

    @Test
    void aCancelledFamilyIsWalkedThroughEverLessOften() {
        String id = batches.create("family", batch -> batch.add(JobCall.named("tell"))
                .child("child", child -> child.add(JobCall.named("tell"))));
        batches.cancel(id);
        chore.runOnce();
        String child =
                REDIS.texts().smembers("jobs:batch:" + id + ":k").iterator().next();
        List<Boolean> walked = new ArrayList<>();
        for (int seconds : List.of(1, 4, 5, 5, 10)) {
            process.pass(Duration.ofSeconds(seconds));
            REDIS.texts().hdel("jobs:batch:" + child, "cancelled");
            chore.runOnce();
            walked.add(find(child).cancelledAt() != null);
        }
        assertThat(walked).containsExactly(false, true, false, true, false);
    }

    @Test
    void theJobsOfTheNextBatchGoOnceThatBeforeHasSucceeded() {
        String id = batches.create(
                "first",
                batch -> batch.then(
                        "next", next -> next.add(JobCall.named("tell")).add(JobCall.named("tell"))));
        String next = find(id).next();
        assertThat(find(next).state()).isEqualTo(State.WAITING);
        assertThat(waiting("default")).isZero();

        for (int i = 0; i < 3; i++) {
            chore.runOnce();
        }
        assertThat(waiting("default")).isEqualTo(2);
        assertThat(find(next).state()).isEqualTo(State.RUNNING);
    }

    @Test
    void aParentSucceedsOnceTheDeadJobOfItsChildHasSucceeded() {
        String parent =
                batches.create("parent", batch -> batch.child("child", child -> child.add(JobCall.named("tell"))));
        String child =
                REDIS.texts().smembers("jobs:batch:" + parent + ":k").iterator().next();
        Worker worker = worker();
        Claimed job = worker.takeOne("default");
        settle(worker, Settlement.dead(job.token(), job.payload(), true), child);
        assertThat(find(parent).state()).as("without success").isEqualTo(State.FINISHED);

        assertThat(batches.retryDead(child)).isEqualTo(1);
        settle(worker, Settlement.done(worker.takeOne("default").token()), child);

        assertThat(find(child).state()).isEqualTo(State.SUCCEEDED);
        assertThat(find(parent).state()).isEqualTo(State.SUCCEEDED);
    }

    private Worker worker() {
        JobClaims claims = new JobClaims(
                process.connection, process.keys, ScriptTestBed.CLOCK, ScriptTestBed.LIMITS, ScriptTestBed.SUSPICIOUS);
        ProcessLeases leases = new ProcessLeases(
                process.connection,
                process.keys,
                ScriptTestBed.TIMING,
                ScriptTestBed.LIMITS,
                ScriptTestBed.MAX_RECOVERIES,
                EffectSource.NONE);
        return new Worker("worker", claims, leases, 0).join();
    }

    /** Ends the first job of a batch, and lets the leader look. */
    private void settle(Worker worker, Settlement settlement, String batch) {
        BatchEffects effects = new BatchEffects(process.keys);
        worker.settle(settlement.with(List.of(effects.of(new BatchJobId(batch, 0), Report.NOTHING))));
        for (int i = 0; i < 3; i++) {
            chore.runOnce();
        }
    }

    /** Their callers were gone before they had let the jobs go. */
    @Test
    void jobsThatWereStagedForLongAreEnqueuedNow() {
        BatchStore store = new BatchStore(process.connection, process.keys);
        String young = BatchTestBed.id(1);
        String old = BatchTestBed.id(2);
        for (String id : List.of(young, old)) {
            BatchDefinition definition = BatchTestBed.plan().definition();
            store.create(Lead.none(id), definition, true);
            store.fill(id, List.of(BatchTestBed.waiting(id, 0, "\"enqueued_at\":5")), true, true);
            store.commit(List.of(new Complete(id, definition, true, List.of(BatchTestBed.QUEUE))));
        }
        REDIS.texts().hset("jobs:batch:" + old, "created", "1700000000000");

        for (int i = 0; i < 3; i++) {
            chore.runOnce();
        }

        Map<String, Long> enqueued = new HashMap<>();
        REDIS.bytes().lrange(("queue:" + BatchTestBed.QUEUE).getBytes(UTF_8), 0, -1).stream()
                .map(Payload::parse)
                .forEach(job -> enqueued.put(job.jid(), job.integer("enqueued_at")));
        assertThat(enqueued.get(BatchTestBed.job(young, 0).jid())).isEqualTo(5);
        assertThat(enqueued.get(BatchTestBed.job(old, 0).jid())).isGreaterThan(1_700_000_000_000L);
    }

    @Test
    void aBatchThatCannotBeLookedAtIsToldOnceAndHoldsUpNoOther() {
        REDIS.texts().set("queue:reports", "no list");
        List<String> stuck = IntStream.range(0, 101)
                .mapToObj(i -> batches.create(
                        "stuck", batch -> batch.onFinish(JobCall.named("tell").queue("reports"))))
                .toList();
        String other = batches.create("other", batch -> batch.onFinish(JobCall.named("tell")));
        stuck.forEach(id -> REDIS.texts().zadd("jobs:batches:rest", 1, id));
        // It has waited for longer than those that are put back; of those of one second, the ids would decide.
        REDIS.texts().zadd("jobs:batches:rest", 2, other);

        try (LogLines lines = LogLines.of(BatchChore.class).open()) {
            for (int i = 0; i < 4; i++) {
                chore.runOnce();
            }
            assertThat(lines.messages(Level.WARN)).hasSize(101).doesNotHaveDuplicates();
        }
        assertThat(find(other).events()).containsKey(BatchEvent.FINISHED);
        assertThat(process.context.outage().error()).as("no outage").isNull();

        REDIS.texts().del("queue:reports");
        stuck.forEach(id -> REDIS.texts().zadd("jobs:batches:rest", 1, id));
        chore.runOnce();
        chore.runOnce();
        assertThat(stuck).allSatisfy(id -> assertThat(find(id).events()).containsKey(BatchEvent.FINISHED));
        assertThat(waiting("reports")).isEqualTo(101);
    }

    /** It is told once: if that met an error, it would wait for ever. */
    @Test
    void aParentOrANextBatchWhoseKeyHoldsAnotherTypeForAMomentIsToldLater() {
        String parent = batches.create(
                "parent",
                batch -> batch.child("child", child -> child.then("next", next -> next.add(JobCall.named("tell")))));
        String child =
                REDIS.texts().smembers("jobs:batch:" + parent + ":k").iterator().next();
        String next = find(child).next();
        for (String broken : List.of("jobs:batch:" + next, "jobs:batch:" + parent)) {
            REDIS.texts().rename(broken, "aside");
            REDIS.texts().set(broken, "another type");
            for (int i = 0; i < 3; i++) {
                chore.runOnce();
            }
            assertThat(REDIS.texts().hget("jobs:batch:" + child, "told")).isNull();
            REDIS.texts().rename("aside", broken);
        }
        for (int i = 0; i < 3; i++) {
            chore.runOnce();
        }

        assertThat(REDIS.texts().hget("jobs:batch:" + child, "told")).isEqualTo("succeeded");
        assertThat(find(next).state()).isEqualTo(State.RUNNING);
        assertThat(find(parent).childrenOpen()).as("the next one stands in").isEqualTo(1);
    }

    @Test
    void theLookGoesOnAtOnceWhileMoreWait() {
        for (int i = 0; i < 150; i++) {
            batches.create("empty", batch -> batch.onFinish(JobCall.named("tell")));
        }
        assertThat(chore.runOnce()).isZero();
        assertThat(waiting("default")).isEqualTo(100);
        chore.runOnce();
        assertThat(waiting("default")).isEqualTo(150);
    }

    @Test
    void anOutageIsOfTheWholeChore() {
        process.connection.close();
        assertThat(chore.runOnce()).isEqualTo(Duration.ofSeconds(1));
        assertThat(process.context.outage().error()).isNotNull();
    }
}
