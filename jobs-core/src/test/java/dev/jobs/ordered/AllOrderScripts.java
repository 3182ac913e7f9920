package dev.jobs.ordered;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.AllBatchScripts;
import dev.jobs.batches.BatchTestBed;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import dev.jobs.store.TestPushes;
import dev.jobs.store.Worker;
import dev.jobs.transactions.OutboxPushes;
import dev.jobs.trash.JobTrash;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Calls every script along the paths that only ordered queues have. */
public final class AllOrderScripts {

    private static final String QUEUE = "ordered";

    private final ScriptTestBed bed;
    private final RedisKeys keys;
    private final JobSets sets;
    private final JobQueues queues;
    private final ClearedQueues clearing;
    private final Worker worker;

    public AllOrderScripts(ScriptTestBed bed) {
        this.bed = bed;
        this.keys = new RedisKeys(
                bed.keys.prefix(),
                new OrderRules(Map.of(
                        QUEUE, OrderRule.fair(), BatchTestBed.QUEUE, OrderRule.priority(Duration.ofMinutes(1)))));
        this.sets = new JobSets(bed.connection, keys, ScriptTestBed.LIMITS, EffectSource.NONE);
        this.queues = new JobQueues(bed.connection, keys);
        this.clearing = new ClearedQueues(bed.connection, keys, sets, new java.util.Random(1));
        this.worker = new Worker(
                "orderly",
                new JobClaims(
                        bed.connection, keys, ScriptTestBed.CLOCK, ScriptTestBed.LIMITS, ScriptTestBed.SUSPICIOUS),
                bed.leases(),
                0);
    }

    public void run() {
        worker.join();
        TestPushes pushes = new TestPushes(bed.connection, keys, Duration.ofSeconds(5));
        pushes.push(QUEUE, List.of(bytes("a"), bytes("b"), bytes("c"), bytes("d")));
        new OutboxPushes(bed.connection, keys, Duration.ofSeconds(5))
                .store("ordered:0", 1, List.of(new OutboxPushes.Relayed(QUEUE, null, bytes("e"))));
        Claimed first = worker.takeOne(QUEUE);
        worker.settle(Settlement.interrupted(first.token(), QUEUE, first.payload()));
        assertThat(queues.states(List.of(QUEUE)).get(0).size()).isEqualTo(5);
        trash();
        sets.move(StoredSet.RETRY, List.of());
        bed.redis.bytes().zadd(keys.retry(), 1, bytes("f"));
        assertThat(sets.move(StoredSet.RETRY, List.of(sets.toQueue(bytes("f"), QUEUE, bytes("f")))))
                .containsExactly(1);
        assertThat(sets.moveFromQueue(QUEUE, List.of(sets.delete(bytes("f"))))).containsExactly(1);
        settle(QUEUE, 2);
        assertThat(clearing.clear(QUEUE)).isEqualTo(3);
        assertThat(worker.take(1, QUEUE)).isEmpty();
        batch();
        worker.leases.leave(worker.id);
    }

    private void settle(String queue, int count) {
        List<Claimed> taken = worker.take(count, queue);
        assertThat(taken).hasSize(count);
        taken.forEach(each -> worker.settle(Settlement.done(each.token())));
    }

    private void trash() {
        JobTrash trash = new JobTrash(bed.connection, keys, JobTrash.Bounds.standard(), EffectSource.NONE);
        assertThat(trash.add(QUEUE, List.of(bytes("b")), List.of(bytes("")), "b", true)
                        .fates())
                .containsExactly(JobTrash.Fate.KEPT);
        assertThat(trash.restore(trash.newest(Instant.now(), 0, 1).items())).containsExactly(1);
        trash.empty();
    }

    private void batch() {
        clearing.clear(BatchTestBed.QUEUE);
        AllBatchScripts.storeInOrder(bed, keys);
        settle(BatchTestBed.QUEUE, 6);
        assertThat(worker.take(1, BatchTestBed.QUEUE)).isEmpty();
    }
}
