package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.engine.MeasuredCalls;
import dev.jobs.lists.JobSets;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * However many batches there are, and however large their callbacks: no call carries more of them than it may, or a
 * single one. Here that is little; {@link MegabyteBatchCallSizesIT} has the limits of applications.
 */
class BatchCallSizesIT {

    private static final int BATCHES = 30;
    private static final String BATCH = "00c0ffee00c0ffee";

    /** Most keys and arguments of a call besides those of its batches. */
    private static final int FEW = 20;

    /** One for each class, of which there are two. */
    @AutoClose
    static RedisFixture redis;

    private MeasuredCalls calls;
    private EngineTestBed bed;
    private RedisJobClient client;
    private RedisBatches batches;
    private ChoreTestBed process;
    private BatchChore chore;
    private BatchUpkeep upkeep;

    static final class Jobs {

        @Job("tell")
        void tell(String text) {}
    }

    @BeforeAll
    static void start() {
        redis = RedisFixture.start();
    }

    @BeforeEach
    void open() {
        redis.flush();
        calls = new MeasuredCalls(redis, bounds());
        RedisConnections connections = calls.connections(new RedisKeys(""));
        bed = new EngineTestBed(redis, connections);
        client = bed.client(new Jobs());
        batches = new RedisBatches(connections, client, new SecureRandom());
        process = new ChoreTestBed(bed);
        JobSets sets = new JobSets(
                process.connection,
                process.keys,
                new DeadSetBounds(100, Duration.ofDays(1)),
                new BatchEffects(process.keys));
        chore = new BatchChore(
                process.connection,
                process.keys,
                BatchRetention.defaults(),
                sets,
                process.context,
                new CancelledBatches(),
                Stream::empty);
        upkeep = new BatchUpkeep(process.connection, process.keys, process.context);
    }

    @AfterEach
    void close() {
        process.close();
        batches.close();
        bed.close();
        calls.close();
        redis.flush();
    }

    CallBounds bounds() {
        return MeasuredCalls.SMALL;
    }

    /** Nearly as large as a client takes with the limits of applications. */
    private JobCall large() {
        return JobCall.named("tell", "x".repeat(bounds().bytes() - bounds().bytes() / 20));
    }

    private void lead() {
        while (chore.runOnce().isZero() | upkeep.runOnce().isZero()) {
            // until there is nothing to do at once
        }
    }

    /** In old times a new leader read the callbacks of all of them at once, and died of it. */
    @LongTest
    @Test
    void ofBatchesWithLargeCallbacks() {
        List<String> ids = IntStream.range(0, BATCHES)
                .mapToObj(i -> batches.create("large", "" + i, batch -> batch.onAttempted(large())
                        .onFinish(large())
                        .onSuccess(large())
                        .onDeath(large())))
                .toList();
        lead();

        assertThat(batches.findAll(ids)).hasSize(BATCHES).allSatisfy((id, batch) -> assertThat(batch.events())
                .containsKeys(BatchEvent.ATTEMPTED, BatchEvent.FINISHED, BatchEvent.SUCCEEDED));
        assertThat(redis.texts().llen("queue:default")).isEqualTo(3 * BATCHES);
        calls.assertSmall("batch_create", "batch_define", "batch_commit", "batch_read", "batch_finish", "batch_watch");
        assertThat(calls.together()).as("answers at once").isLessThan(calls.largestBatch());
        assertThat(calls.of("batch_watch").answer()).isLessThan(BATCHES * 200);
    }

    @LongTest
    @Test
    void ofATreeOfBatches() {
        String id = batches.create("tree", batch -> IntStream.range(0, BATCHES)
                .forEach(i -> batch.child("child", child -> child.onFinish(large())
                        .add(JobCall.named("tell", ""))
                        .then("next", next -> next.onFinish(large())))));
        assertThat(batches.cancel(id)).isTrue();
        lead();

        calls.assertSmall("batch_commit", "batch_cancel");
        assertThat(calls.of("batch_commit").request())
                .as("callbacks are stored before")
                .isLessThan(2 * BATCHES * 1_000);
    }

    @Test
    void ofManyBatchesThatAreCancelled() {
        int count = 250;
        Map<String, String> counters =
                Map.of("total", "0", "fresh", "0", "again", "0", "open", "0", "committed", "1", "created", "1");
        redis.texts().hset("jobs:batch:" + BATCH, counters);
        redis.texts().zadd("jobs:batches", 1, BATCH);
        for (int i = 0; i < count; i++) {
            String id = String.format("%016x", i);
            redis.texts().hset("jobs:batch:" + id, counters);
            redis.texts().hset("jobs:batch:" + id + ":d", "parent", BATCH);
            redis.texts().sadd("jobs:batch:" + BATCH + ":k", id);
            redis.texts().zadd("jobs:batches", 1, id);
            redis.texts().zadd("jobs:batches:open", 1, id);
        }
        assertThat(batches.cancel(BATCH)).isTrue();
        assertThat(redis.texts().zcard("jobs:batches:cancelled")).isEqualTo(count + 1);
        redis.texts().del("jobs:batches:rest");
        lead();

        calls.assertSmall("batch_cancel", "batch_watch", "batch_trim");
        assertThat(calls.of("batch_cancel").calls()).isGreaterThanOrEqualTo(3);
        assertThat(calls.of("batch_cancel").words()).isLessThan(4 * 100 + FEW);
        assertThat(calls.of("batch_watch").calls()).isGreaterThanOrEqualTo(3);
        assertThat(calls.of("batch_watch").words()).isLessThan(3 * 100 + FEW);
        assertThat(calls.of("batch_read").words()).isLessThan(2 * 100 + FEW);
        assertThat(calls.of("batch_trim").words()).isLessThan(2 * 1_000 + FEW);
    }

    @Test
    void ofKeysThatLeadToBatches() {
        for (int i = 0; i < 1_000; i++) {
            redis.texts().hset("jobs:batches:keys", "digest" + i, String.format("%016x", i));
        }
        lead();

        calls.assertSmall("batch_forget");
        assertThat(calls.of("batch_forget").words()).isLessThan(3 * 200 + FEW);
    }

    @Test
    void ofAnAudit() throws InterruptedException {
        int count = 9_000;
        redis.texts()
                .hset(
                        "jobs:batch:" + BATCH,
                        new HashMap<>(Map.of("total", "" + count, "fresh", "" + count, "again", "0", "open", "0")));
        redis.texts().set("jobs:batch:" + BATCH + ":s", "q".repeat(count));
        for (int i = 0; i < 10; i++) {
            redis.texts().lpush("queue:default", large(i));
            redis.texts().lpush("jobs:batches:notes", BATCH + String.format("%08x", count - 1 - i) + " s " + text(i));
        }
        redis.texts().sadd("queues", "default");

        assertThat(batches.audit(BATCH).orElseThrow().lost()).isEqualTo(count - 20);

        calls.assertSmall("batch_search", "batch_doubt", "batch_mark", "batch_told");
        assertThat(calls.of("batch_doubt").request()).isLessThan(4_000 + 1_000);
        assertThat(calls.of("batch_mark").words()).isLessThan(10 * 100 + FEW);
    }

    /** A job of the batch in its queue. */
    private String large(int index) {
        String jid = BATCH + String.format("%08x", index);
        return EngineTestBed.payload("tell", jid, "[\"" + calls.ballast() + "\"]", "\"jb\":1");
    }

    private String text(int number) {
        return '"' + (number + "x".repeat(bounds().bytes() / 5)) + '"';
    }
}
