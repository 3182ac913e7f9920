package dev.jobs.batches;

import static dev.jobs.batches.BatchTestBed.plan;
import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchNotes.Running;
import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.batches.BatchStore.Correction;
import dev.jobs.batches.BatchStore.Created;
import dev.jobs.batches.BatchTestBed.Plan;
import dev.jobs.batches.KeyedBatches.Lead;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Calls every script of batches, along every path that writes. */
public final class AllBatchScripts {

    private final ScriptTestBed bed;
    private final BatchTestBed batches;
    private final String parent = BatchTestBed.id(1);
    private final String child = BatchTestBed.id(2);
    private final String next = BatchTestBed.id(3);

    public AllBatchScripts(ScriptTestBed bed) {
        this.bed = bed;
        this.batches = new BatchTestBed(bed);
    }

    /** From the creation of a batch with a child and a next batch to the end of all three. */
    public void run() {
        Plan last = plan().previous(parent);
        Plan first = plan().next(next).callsBack(parent, BatchEvent.values());
        Plan inside = plan().parent(parent).callsBack(child, BatchEvent.FINISHED);
        batches.create(parent, first);
        stage(child, inside);
        stage(next, last);
        batches.fill(parent, 0, 8);
        assertThat(batches.store.fill(
                        parent,
                        List.of(
                                BatchTestBed.refused(8),
                                BatchTestBed.scheduled(parent, 9, 1),
                                BatchTestBed.waiting(parent, 5_000)),
                        false,
                        false))
                .isEqualTo(3);
        batches.commit(parent, first);
        batches.store.commit(List.of(complete(child, inside), complete(next, last)));
        grow();
        runJobs();
        markTheRest();
        batches.lookAtAll();
        assertThat(batches.staged.release(child, List.of(BatchTestBed.QUEUE), job -> job.with("enqueued_at", 1.5)))
                .isZero();
        assertThat(batches.staged.release(child, List.of(BatchTestBed.QUEUE))).isZero();
        assertThat(batches.cascade.cancel(next)).isTrue();
        assertThat(batches.staged.delete(next, List.of(BatchTestBed.QUEUE), batches.sets))
                .isEqualTo(2);
        promote();
        drain();
        for (String id : List.of(parent, child, next)) {
            batches.assertExact(id);
        }
        assertThat(batches.counters(parent)).containsKey("told");
        assertThat(batches.counters(child)).containsKey("told");
        assertThat(batches.store.discard(next, List.of(BatchTestBed.QUEUE))).isFalse();
        stage(BatchTestBed.id(4), plan());
        assertThat(batches.store.discard(BatchTestBed.id(4), List.of(BatchTestBed.QUEUE)))
                .isTrue();
        assertThat(batches.look(BatchTestBed.id(4))).isNull();
        followKeys();
        archive();
        audit();
    }

    /**
     * Stores six jobs along the paths that only ordered queues have.
     *
     * @param keys of a Redis whose {@link BatchTestBed#QUEUE} is ordered
     */
    public static void storeInOrder(ScriptTestBed bed, RedisKeys keys) {
        BatchStore store = new BatchStore(bed.connection, keys);
        StagedJobs staged = new StagedJobs(bed.connection, keys);
        for (int number : List.of(20, 21, 22)) {
            String id = BatchTestBed.id(number);
            boolean stages = number > 20;
            BatchDefinition definition = plan().definition();
            store.create(Lead.none(id), definition, stages);
            List<BatchStore.NewJob> jobs = List.of(BatchTestBed.waiting(id, 0), BatchTestBed.waiting(id, 1));
            assertThat(store.fill(id, jobs, stages, stages)).isEqualTo(2);
            assertThat(store.fill(id, jobs, stages, stages)).isZero();
            List<String> some = List.of(BatchTestBed.QUEUE);
            store.commit(List.of(new Complete(id, definition, stages, stages ? some : List.of())));
            if (number == 21) {
                assertThat(staged.release(id, some)).isZero();
            } else if (number == 22) {
                assertThat(staged.release(id, some, job -> job.with("enqueued_at", 1.5)))
                        .isZero();
            }
        }
        assertThat(bed.redis.bytes().zcard(keys.order(BatchTestBed.QUEUE))).isEqualTo(6);
        assertThat(lost(new BatchAuditor(bed.connection, keys), BatchTestBed.id(21)))
                .isZero();
    }

    private static long lost(BatchAuditor auditor, String id) {
        BatchAuditor.Audit audit = auditor.begin(id).orElseThrow();
        while (audit.step() != null) {
            // until it is over
        }
        return audit.result().lost();
    }

    private void audit() {
        String id = batches.batch(7, 2, plan());
        bed.redis.bytes().del(bed.keys.queue(BatchTestBed.QUEUE));
        assertThat(lost(new BatchAuditor(bed.connection, bed.keys), id)).isEqualTo(2);
        batches.lookAtAll();
        batches.assertExact(id);
        bed.redis
                .texts()
                .lpush(
                        bed.key("jobs:batches:notes"),
                        "nonsense",
                        BatchTestBed.job(id, 0).jid() + " s \"m\"");
        assertThat(new RubyNotes(bed.connection, bed.keys).applySome()).isEqualTo(2);
        assertThat(batches.states(id)).isEqualTo("sl");
        bed.redis.bytes().zrem(new BatchKeys(bed.keys).resting(), bytes(id));
        bed.redis.bytes().hdel(new BatchKeys(bed.keys).batch(id), bytes("finished"));
        assertThat(new BatchWatch(bed.connection, bed.keys).look(List.of(parent, id)))
                .extracting(BatchWatch.Watched::isNoted)
                .containsExactly(false, true);
        bed.redis.bytes().del(new BatchKeys(bed.keys).batch(id));
        assertThat(new BatchWatch(bed.connection, bed.keys).look(List.of(parent, id)))
                .extracting(BatchWatch.Watched::isGone)
                .containsExactly(false, true);
        assertThat(batches.reader.forgetExpired(List.of(parent, id))).isEqualTo(1);
    }

    private void archive() {
        String id = BatchTestBed.id(8);
        stage(id, plan());
        bed.redis.texts().hset(bed.key("jobs:batch:" + id + ":d"), BatchDefinition.UNARCHIVED, "1");
        BatchArchiving archiving = new BatchArchiving(bed.connection, bed.keys);
        archiving.archived(id);
        archiving.archived(id);
        assertThat(batches.reader.find(id).orElseThrow().definition().unarchived())
                .isFalse();
        assertThat(batches.store.discard(id, List.of(BatchTestBed.QUEUE))).isTrue();
        assertThat(batches.look(id)).isNull();
    }

    private void followKeys() {
        Lead lead = batches.keyed.follow("digest", () -> BatchTestBed.id(5));
        assertThat(batches.store.create(lead, plan().definition(), true)).isEqualTo(Created.NEW);
        Lead late = new Lead("digest", BatchTestBed.id(6), "");
        assertThat(batches.store.create(late, plan().definition(), true)).isEqualTo(Created.ELSEWHERE);
        assertThat(batches.store.discard(BatchTestBed.id(5), List.of())).isTrue();
        assertThat(batches.keyed.forgetSome("0")).isEqualTo("0");
        assertThat(batches.keyed.follow("digest", () -> BatchTestBed.id(6)).known())
                .isEmpty();
    }

    private void stage(String id, Plan plan) {
        assertThat(batches.store.create(Lead.none(id), plan.definition(), true)).isEqualTo(Created.NEW);
        assertThat(batches.store.create(Lead.none(id), plan.definition(), true)).isEqualTo(Created.UNCOMMITTED);
        assertThat(batches.store.fill(
                        id, List.of(BatchTestBed.waiting(id, 0), BatchTestBed.scheduled(id, 1, 1)), true, true))
                .isEqualTo(2);
        batches.store.define(id, plan.definition());
    }

    private static Complete complete(String id, Plan plan) {
        return new Complete(id, plan.definition(), true, List.of(BatchTestBed.QUEUE));
    }

    private void grow() {
        long first = batches.store.reserve(parent, 2);
        assertThat(batches.fill(parent, first, 2)).isEqualTo(2);
    }

    /** A job of each outcome, one of which reports with results. */
    private void runJobs() {
        Worker worker = bed.worker("batch").join();
        List<Claimed> claimed = worker.take(10, BatchTestBed.QUEUE);
        List<String> tokens = claimed.stream().map(Claimed::token).toList();
        Report report = new Report("\"half done\"", bytes("7"), "1 2");
        List<Running> running = new ArrayList<>();
        for (int i = 0; i < tokens.size(); i++) {
            running.add(new Running(
                    tokens.get(i),
                    BatchTestBed.batchJob(ScriptTestBed.text(claimed.get(i).payload())),
                    report));
        }
        batches.notes.note("batch", running);
        byte[] again = claimed.get(1).payload();
        List<Settlement> ends = List.of(
                Settlement.done(tokens.get(0)),
                Settlement.retried(tokens.get(1), Duration.ZERO, again),
                Settlement.dead(tokens.get(2), claimed.get(2).payload(), true),
                Settlement.discarded(tokens.get(3)),
                Settlement.failed(tokens.get(4)),
                Settlement.skipped(tokens.get(5)),
                Settlement.handedBack(tokens.get(6), BatchTestBed.QUEUE, true),
                Settlement.interrupted(
                        tokens.get(7), BatchTestBed.QUEUE, claimed.get(7).payload()));
        List<Settlement> told = new ArrayList<>();
        for (int i = 0; i < ends.size(); i++) {
            told.add(batches.told(ends.get(i), running.get(i).job(), report));
        }
        assertThat(worker.settle(told.toArray(Settlement[]::new)).moves())
                .containsOnly(1)
                .hasSize(8);
        assertThat(worker.leases.leave("batch")).isEqualTo(2);
        assertThat(batches.leases.reap("batch").recovered()).isEqualTo(2);
        assertThat(batches.sets.move(StoredSet.RETRY, List.of(batches.sets.toQueue(again, BatchTestBed.QUEUE, again))))
                .containsExactly(1);
    }

    private void markTheRest() {
        assertThat(batches.reader.jobs(parent, Set.of(), -1, 2).jobs().get(0).messages())
                .containsExactly("half done");
        assertThat(batches.store.mark(
                        parent,
                        List.of(
                                new Correction(9, "q", "lost", Report.NOTHING),
                                new Correction(4, "q", "lost", Report.NOTHING))))
                .containsExactly(true, false);
    }

    private void promote() {
        assertThat(batches.sets.move(
                        StoredSet.SCHEDULE,
                        batches.sets.due(10).scheduled().stream()
                                .map(entry ->
                                        batches.sets.toQueue(entry.payload(), BatchTestBed.QUEUE, entry.payload()))
                                .toList()))
                .containsExactly(1, 1);
    }

    /** Runs all jobs, and the callbacks that follow. */
    private void drain() {
        Worker worker = bed.worker("drain").join();
        List<Claimed> claimed = worker.take(100, BatchTestBed.QUEUE);
        while (!claimed.isEmpty()) {
            worker.settle(claimed.stream()
                    .map(job -> batches.told(Settlement.done(job.token()), ScriptTestBed.text(job.payload())))
                    .toArray(Settlement[]::new));
            batches.lookAtAll();
            claimed = worker.take(100, BatchTestBed.QUEUE);
        }
        assertThat(worker.leases.leave("drain")).isZero();
    }
}
