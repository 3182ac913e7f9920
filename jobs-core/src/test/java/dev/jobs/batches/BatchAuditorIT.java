package dev.jobs.batches;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchEnds.Callback;
import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.batches.BatchStore.NewJob;
import dev.jobs.batches.KeyedBatches.Lead;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.lists.JobSets;
import dev.jobs.proof.LongTest;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An audit finds every job that exists, whenever it moves, and marks those that don't. */
class BatchAuditorIT {

    private static final String BATCH = "00c0ffee00c0ffee";

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final BatchEffects effects = new BatchEffects(bed.keys);
    private final BatchStore store = new BatchStore(bed.connection, bed.keys);
    private final BatchReader reader = new BatchReader(bed.connection, bed.keys);
    private final JobSets sets = bed.sets(effects);
    private final BatchAuditor auditor = new BatchAuditor(bed.connection, bed.keys);

    static BatchDefinition definition(Map<BatchEvent, byte[]> callbacks) {
        return new BatchDefinition(
                "n", "", List.of(), "", "", "", "", false, false, false, 0, false, callbacks, List.of());
    }

    static String payload(long index) {
        return "{\"class\":\"A\",\"args\":[],\"queue\":\"mail\",\"jid\":\"" + new BatchJobId(BATCH, index).jid()
                + "\",\"jb\":1}";
    }

    static void create(BatchStore store, int jobs) {
        store.create(Lead.none(BATCH), definition(Map.of()), false);
        for (int from = 0; from < jobs; from += BatchStore.SLICE) {
            fill(store, from, Math.min(BatchStore.SLICE, jobs - from));
        }
        store.commit(List.of(new Complete(BATCH, definition(Map.of()), false, List.of())));
    }

    private static void fill(BatchStore store, long from, int count) {
        store.fill(
                BATCH,
                LongStream.range(from, from + count)
                        .mapToObj(index -> new NewJob(index, "mail", null, bytes(payload(index)), false))
                        .toList(),
                false,
                false);
    }

    private String states() {
        return bed.redis.texts().get("jobs:batch:" + BATCH + ":s");
    }

    private long counter(String name) {
        return Long.parseLong(bed.redis.texts().hget("jobs:batch:" + BATCH, name));
    }

    private BatchAudit audit() {
        return audit(auditor);
    }

    private static BatchAudit audit(BatchAuditor auditor) {
        BatchAuditor.Audit audit = auditor.begin(BATCH).orElseThrow();
        while (audit.step() != null) {
            // until it is over
        }
        return audit.result();
    }

    @Test
    void changesNothingIfAllJobsAreThere() {
        create(store, 5);
        Worker worker = bed.worker("one").join();
        worker.take(2, "mail");
        Map<String, Object> before = bed.stored();

        assertThat(audit()).isEqualTo(new BatchAudit(5, 0, 0, 0, 0));
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void thereIsNoAuditOfABatchThatIsNotThere() {
        assertThat(auditor.begin(BATCH)).isEqualTo(Optional.empty());
        assertThat(auditor.begin("nonsense")).isEqualTo(Optional.empty());
    }

    @Test
    void jobsOfADeletedQueueAreLostAndTheBatchWantsALook() {
        create(store, 5);
        Worker worker = bed.worker("one").join();
        List<Claimed> held = worker.take(2, "mail");
        bed.redis.texts().del("queue:mail", "jobs:batches:rest");

        assertThat(audit()).isEqualTo(new BatchAudit(5, 3, 0, 0, 0));

        assertThat(states()).isEqualTo("qqlll");
        assertThat(counter("fresh")).isEqualTo(2);
        assertThat(counter("lost")).isEqualTo(3);
        held.forEach(job -> worker.settle(told(Settlement.done(job.token()), job)));
        assertThat(states()).isEqualTo("sslll");
        assertThat(bed.members("jobs:batches:rest")).containsExactly(BATCH);
    }

    /** As after a moment in which the list of notes held another type. */
    @Test
    void aBatchThatMissedItsEndIsCorrected() {
        create(store, 1);
        Worker worker = bed.worker("one").join();
        Claimed job = worker.takeOne("mail");
        worker.settle(told(Settlement.done(job.token()), job));
        bed.redis.texts().del("jobs:batches:rest");

        assertThat(audit()).isEqualTo(new BatchAudit(0, 0, 0, 1, 0));
        assertThat(bed.members("jobs:batches:rest")).containsExactly(BATCH);
        assertThat(audit()).as("noted already").isEqualTo(new BatchAudit(0, 0, 0, 0, 0));
    }

    private Settlement told(Settlement settlement, Claimed job) {
        return settlement.with(effects.of(job.payload()));
    }

    @Test
    void manyLostJobsAreMarkedInManyCalls() {
        create(store, 12_345);
        bed.redis.texts().del("queue:mail");

        assertThat(audit()).isEqualTo(new BatchAudit(12_345, 12_345, 0, 0, 0));
        assertThat(counter("lost")).isEqualTo(12_345);
        assertThat(counter("fresh")).isZero();
    }

    @Test
    void jobsInTheDeadSetAreDead() {
        create(store, 2);
        bed.redis.texts().lrem("queue:mail", 1, payload(0));
        bed.redis.texts().zadd("dead", 1, payload(0));

        assertThat(audit()).isEqualTo(new BatchAudit(2, 0, 1, 0, 0));
        assertThat(states()).isEqualTo("dq");
    }

    @Test
    void jobsThatRubyRetriesHaveFailed() {
        create(store, 2);
        bed.redis.texts().lrem("queue:mail", 1, payload(0));
        bed.redis.texts().zadd("retry", 1, payload(0).replace("}", ",\"retry_count\":0}"));

        assertThat(audit()).isEqualTo(new BatchAudit(2, 0, 0, 1, 0));
        assertThat(states()).isEqualTo("rq");
        assertThat(audit()).isEqualTo(new BatchAudit(2, 0, 0, 0, 0));
    }

    @Test
    void aLostJobThatIsFoundWaitsAgain() {
        create(store, 2);
        bed.redis.texts().del("queue:mail");
        assertThat(audit().lost()).isEqualTo(2);

        bed.push("mail", payload(1));

        assertThat(audit()).isEqualTo(new BatchAudit(2, 0, 0, 1, 0));
        assertThat(states()).isEqualTo("lr");
    }

    @Test
    void aLostJobThatEndsAfterAllHasEnded() {
        create(store, 1);
        Worker worker = bed.worker("one").join();
        Claimed job = worker.takeOne("mail");
        String value = bed.redis.texts().hget("jobs:in:one", job.token());
        bed.redis.texts().hdel("jobs:in:one", job.token());
        assertThat(audit().lost()).isEqualTo(1);

        bed.redis.texts().hset("jobs:in:one", job.token(), value);
        worker.settle(told(Settlement.done(job.token()), job));

        assertThat(states()).isEqualTo("s");
        assertThat(counter("lost")).isZero();
        assertThat(counter("ok")).isEqualTo(1);
    }

    @Test
    void aPayloadWithoutItsMarkIsNotTheJobOfABatch() {
        create(store, 1);
        bed.redis.texts().del("queue:mail");
        bed.push("mail", payload(0).replace(",\"jb\":1", ""));

        assertThat(audit().lost()).isEqualTo(1);
    }

    @Test
    void jobsOfOtherBatchesAndTheirArgumentsAreNotTakenForTheMissingOne() {
        create(store, 1);
        bed.redis.texts().del("queue:mail");
        bed.push(
                "mail",
                "{\"class\":\"B\",\"args\":[\"" + BATCH + "00000000\"],\"jid\":\"00c0ffee00c0ffef00000000\",\"jb\":1}");

        assertThat(audit().lost()).isEqualTo(1);
    }

    @Test
    void aLostCallbackEnds() {
        byte[] callback = bytes(payload(BatchJobId.FIRST_CALLBACK + 2));
        BatchDefinition definition = definition(Map.of(BatchEvent.FINISHED, callback));
        store.create(Lead.none(BATCH), definition, false);
        store.commit(List.of(new Complete(BATCH, definition, false, List.of())));
        new BatchEnds(bed.connection, bed.keys, BatchRetention.defaults())
                .look(BATCH, definition, List.of(new Callback(BatchEvent.FINISHED, "mail", callback)), true);
        assertThat(audit()).isEqualTo(new BatchAudit(1, 0, 0, 0, 0));
        bed.redis.texts().del("queue:mail");

        assertThat(audit()).isEqualTo(new BatchAudit(1, 1, 0, 0, 0));

        assertThat(reader.find(BATCH).orElseThrow().status().callbacks())
                .containsEntry(BatchEvent.FINISHED, BatchJobState.LOST);
        assertThat(bed.members("jobs:batches:rest")).containsExactly(BATCH);
    }

    @Test
    void jobsThatJobsOfTheBatchAddedAreLookedForAsWell() {
        create(store, 1);
        fill(store, store.reserve(BATCH, 3), 3);
        bed.redis.texts().lrem("queue:mail", 1, payload(BatchJobId.FIRST_GROWN + 1));

        assertThat(audit()).isEqualTo(new BatchAudit(4, 1, 0, 0, 0));
        assertThat(bed.redis.texts().get("jobs:batch:" + BATCH + ":g")).isEqualTo("qlq");
    }

    @Test
    void stagedJobsAreFound() {
        BatchDefinition definition = definition(Map.of());
        store.create(Lead.none(BATCH), definition, true);
        store.fill(
                BATCH,
                List.of(
                        new NewJob(0, "mail", null, bytes(payload(0)), false),
                        new NewJob(1, "mail", "99", bytes(payload(1)), false)),
                true,
                true);

        assertThat(audit()).isEqualTo(new BatchAudit(2, 0, 0, 0, 0));
    }

    @Test
    void jobsInPlacesThatNoIndexNamesAreFound() {
        create(store, 2);
        bed.worker("one").join().take(1, "mail");
        bed.redis.texts().del("queues", "jobs:beats");

        assertThat(audit()).isEqualTo(new BatchAudit(2, 0, 0, 0, 0));
        assertThat(states()).isEqualToIgnoringCase("qq");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"queue\":\"mail\",\"run_at\":1,\"payload\":%s}",
                "{\"queue\":\"mail\",\"run_at\":1,\"payload\":\"%s\"}"
            })
    void jobsThatRubyShowsAreFound(String shown) {
        create(store, 1);
        bed.redis.texts().del("queue:mail");
        bed.redis.texts().sadd("processes", "ruby:1:aa");
        String job = shown.contains("\"%s\"") ? payload(0).replace("\"", "\\\"") : payload(0);
        bed.redis.texts().hset("ruby:1:aa:work", "thread", shown.formatted(job));

        assertThat(audit()).isEqualTo(new BatchAudit(1, 0, 0, 0, 0));
        bed.redis.texts().del("ruby:1:aa:work");
        assertThat(audit()).isEqualTo(new BatchAudit(1, 1, 0, 0, 0));
    }

    @Test
    void theLooksAreFurtherApartBesideRuby() {
        create(store, 1);
        bed.redis.texts().del("queue:mail");
        assertThat(longestPause()).isZero();

        bed.clear();
        create(store, 1);
        bed.redis.texts().del("queue:mail");
        bed.worker("one").join();
        bed.redis.texts().sadd("processes", "one");
        assertThat(longestPause()).isZero();

        bed.clear();
        create(store, 1);
        bed.redis.texts().del("queue:mail");
        bed.redis.texts().sadd("processes", "ruby:1:aa");
        assertThat(longestPause()).isEqualTo(BatchAuditor.BESIDE_RUBY);
    }

    private Duration longestPause() {
        BatchAuditor.Audit audit = auditor.begin(BATCH).orElseThrow();
        Duration longest = Duration.ZERO;
        for (Duration pause = audit.step(); pause != null; pause = audit.step()) {
            longest = pause.compareTo(longest) > 0 ? pause : longest;
        }
        return longest;
    }

    @Test
    void aDoubtedJobLooksAsBefore() {
        create(store, 3);
        bed.redis.texts().set("jobs:batch:" + BATCH + ":s", "QWq");

        assertThat(reader.jobs(BATCH, java.util.Set.of(), -1, 10).jobs())
                .extracting(job -> job.state())
                .containsExactly(BatchJobState.ENQUEUED, BatchJobState.WORKING, BatchJobState.ENQUEUED);
        assertThat(reader.jobs(BATCH, java.util.Set.of(BatchJobState.WORKING), -1, 10)
                        .jobs())
                .extracting(job -> job.index())
                .containsExactly(1L);
    }

    @Test
    void twoAuditsAtOnceMarkEachJobOnce() {
        create(store, 300);
        bed.redis.texts().del("queue:mail");
        BatchAuditor.Audit one = auditor.begin(BATCH).orElseThrow();
        BatchAuditor.Audit other = auditor.begin(BATCH).orElseThrow();
        while (one.step() != null) {
            other.step();
        }
        while (other.step() != null) {
            // until it is over
        }

        assertThat(one.result().lost() + other.result().lost()).isEqualTo(300);
        assertThat(counter("lost")).isEqualTo(300);
        assertThat(counter("fresh")).isZero();
    }

    /** Steps an audit until it has begun its second search, with the only job of the batch out of its sight. */
    private BatchAuditor.Audit doubting(BatchAuditor with) {
        BatchAuditor.Audit audit = with.begin(BATCH).orElseThrow();
        while (!states().equals(states().toUpperCase(java.util.Locale.ROOT))) {
            assertThat(audit.step()).isNotNull();
        }
        return audit;
    }

    /** A job that moves while an audit looks for it the second time, after the first search missed it. */
    private final class Mover {

        final Worker one = bed.worker("one").join();

        void claim() {
            one.takeOne("mail");
        }

        private Claimed held() {
            String token = bed.inFlight("one").keySet().iterator().next();
            return one.claims
                    .over(InFlightJobs::new)
                    .find("one", List.of(token))
                    .get(0);
        }

        void handBack() {
            one.settle(told(Settlement.handedBack(held().token(), "mail", false), held()));
        }

        void interrupt() {
            Claimed job = held();
            one.settle(told(Settlement.interrupted(job.token(), "mail", job.payload()), job));
        }

        void fail() {
            Claimed job = held();
            one.settle(told(Settlement.retried(job.token(), Duration.ZERO, job.payload()), job));
        }

        void succeed() {
            one.settle(told(Settlement.done(held().token()), held()));
        }

        void promote() {
            sets.move(StoredSet.RETRY, List.of(sets.toQueue(bytes(payload(0)), "mail", bytes(payload(0)))));
        }

        void dieAndComeBack() {
            bed.redis.texts().zadd("jobs:beats", -1, "one");
            new ProcessLeases(bed.connection, bed.keys, ScriptTestBed.TIMING, ScriptTestBed.LIMITS, 100, effects)
                    .reap("one");
            one.join();
        }
    }

    private static final List<List<Consumer<Mover>>> JOURNEYS = List.of(
            List.of(Mover::claim, Mover::handBack, Mover::claim),
            List.of(Mover::claim, Mover::interrupt, Mover::claim),
            List.of(Mover::claim, Mover::fail, Mover::promote),
            List.of(Mover::claim, Mover::dieAndComeBack, Mover::claim),
            List.of(Mover::claim, Mover::handBack, Mover::claim, Mover::handBack),
            List.of(Mover::claim, Mover::fail, Mover::promote, Mover::claim),
            List.of(Mover::claim, Mover::succeed));

    /** Of the journeys, at all moments, each build takes one in so many, the proof all. */
    private static final int ONE_IN = 31;

    @Test
    void aJobThatMovesIsNeverTakenForLostWhateverItsWayAndWheneverItMoves() {
        assertThat(travel(ONE_IN)).isGreaterThan(700);
    }

    @LongTest
    @Test
    void aJobThatMovesIsNeverTakenForLostAtAnyMomentOfItsWay() {
        assertThat(travel(1)).isGreaterThan(700);
    }

    /** Returns how many journeys there are. */
    private int travel(int oneIn) {
        int journeys = 0;
        for (List<Consumer<Mover>> journey : JOURNEYS) {
            int[] moments = new int[journey.size()];
            do {
                if (journeys++ % oneIn == 0) {
                    travel(journey, moments);
                }
            } while (next(moments));
        }
        return journeys;
    }

    /** A moment is two steps long: one that lists places, and one that reads one. */
    private static final int LAST_MOMENT = 7;

    /** The next combination of moments, none before the one of the move before. */
    private static boolean next(int[] moments) {
        for (int i = moments.length - 1; i >= 0; i--) {
            if (moments[i] < LAST_MOMENT) {
                int value = moments[i] + 1;
                for (int j = i; j < moments.length; j++) {
                    moments[j] = value;
                }
                return true;
            }
        }
        return false;
    }

    private void travel(List<Consumer<Mover>> journey, int[] moments) {
        bed.clear();
        create(store, 1);
        bed.redis.texts().del("queue:mail");
        Mover mover = new Mover();
        BatchAuditor.Audit audit = doubting(auditor);
        bed.push("mail", payload(0));
        int moved = 0;
        for (int step = 0; ; step++) {
            while (moved < journey.size() && 2 * moments[moved] == step) {
                journey.get(moved++).accept(mover);
            }
            if (audit.step() == null) {
                assertThat(step).as("steps of a search").isLessThanOrEqualTo(2 * LAST_MOMENT);
                break;
            }
        }
        assertThat(audit.result().lost())
                .as("lost, with moves before the steps %s", java.util.Arrays.toString(moments))
                .isZero();
        assertThat(states()).as("state").matches("[qQrRs]");
    }

    @LongTest
    @Test
    void removalsFromTheMiddleOfAQueueHideNoJob() {
        BatchAuditor small = new BatchAuditor(bed.connection, bed.keys, 2);
        for (int at = 0; at < 7; at += 3) {
            for (int moment = 0; moment < 16; moment += 3) {
                for (int removed = 1; removed < 7; removed++) {
                    findAmongOthers(small, at, moment, removed);
                }
            }
        }
    }

    /** Looks for a job among six others, one or two of which are removed at a moment. */
    private void findAmongOthers(BatchAuditor with, int at, int moment, int removed) {
        bed.clear();
        create(store, 1);
        bed.redis.texts().del("queue:mail");
        BatchAuditor.Audit audit = doubting(with);
        for (int i = 0; i < 7; i++) {
            bed.push("mail", i == at ? payload(0) : "other " + i);
        }
        for (int step = 0; ; step++) {
            if (step == moment) {
                bed.redis.texts().lrem("queue:mail", 0, "other " + removed);
                bed.redis.texts().lrem("queue:mail", 0, "other " + (removed + 2) % 7);
            }
            if (audit.step() == null) {
                break;
            }
        }
        assertThat(audit.result().lost())
                .as("lost at index %s, others %s removed before step %s", at, removed, moment)
                .isZero();
    }

    @Test
    void nothingIsMarkedIfSuspectsWereMovedToTheOtherEndOfAQueue() {
        create(store, 1);
        bed.redis.texts().del("queue:mail");
        BatchAuditor.Audit audit = doubting(auditor);
        bed.redis.texts().hincrby("jobs:ledger", "aside", 21);
        while (audit.step() != null) {
            // until it is over
        }

        assertThat(audit.result()).isEqualTo(new BatchAudit(1, 0, 0, 0, 1));
        assertThat(audit()).isEqualTo(new BatchAudit(1, 1, 0, 0, 0));
    }

    @Test
    void aJobThatRunsAndIsNotedIsNoLongerDoubted() {
        create(store, 1);
        Worker worker = bed.worker("one").join();
        Claimed job = worker.takeOne("mail");
        bed.redis.texts().set("jobs:batch:" + BATCH + ":s", "W");
        new BatchNotes(bed.connection, bed.keys)
                .note("one", List.of(new BatchNotes.Running(job.token(), new BatchJobId(BATCH, 0), Report.NOTHING)));

        assertThat(states()).isEqualTo("w");
    }
}
