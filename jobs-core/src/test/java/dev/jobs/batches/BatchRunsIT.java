package dev.jobs.batches;

import static dev.jobs.batches.BatchTestBed.QUEUE;
import static dev.jobs.batches.BatchTestBed.failed;
import static dev.jobs.batches.BatchTestBed.plan;
import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchNotes.Running;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of batches that end in one exchange. */
class BatchRunsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private BatchTestBed batches;
    private Worker worker;

    @BeforeEach
    void clear() {
        bed.clear();
        batches = new BatchTestBed(bed);
        worker = bed.worker("one").join();
    }

    /** In the order in which they were claimed. */
    private List<Settlement> done(List<Claimed> jobs) {
        List<Settlement> ends = new ArrayList<>();
        for (Claimed job : jobs) {
            ends.add(batches.told(Settlement.done(job.token()), text(job.payload())));
        }
        return ends;
    }

    /** Settles them in one exchange. Returns how often it wrote states. */
    private long stepsOf(List<Settlement> ends) {
        long before = calls();
        worker.settle(ends.toArray(Settlement[]::new));
        return calls() - before;
    }

    private static long calls() {
        return bed.redis.stat("commandstats", "cmdstat_setrange:calls=(\\d+)");
    }

    @Test
    void takeOneStepIfTheyStandTogetherInWhateverOrderTheyEnded() {
        String one = batches.batch(1, 50, plan());
        String other = batches.batch(2, 50, plan());
        List<Settlement> ends = done(worker.take(100, QUEUE));
        Collections.shuffle(ends, new Random(7));

        assertThat(stepsOf(ends)).isEqualTo(2);
        for (String batch : List.of(one, other)) {
            assertThat(batches.states(batch)).isEqualTo("s".repeat(50));
            batches.assertExact(batch);
        }
    }

    @Test
    void endEachForItselfWhereTheyDiffer() {
        String batch = batches.batch(1, 9, plan());
        List<Claimed> jobs = worker.take(9, QUEUE);
        batches.notes.note(
                "one",
                List.of(
                        new Running(jobs.get(1).token(), BatchTestBed.job(batch, 1), Report.NOTHING),
                        new Running(jobs.get(6).token(), BatchTestBed.job(batch, 6), Report.NOTHING)));
        worker.settle(Settlement.done(jobs.get(3).token())); // so that the next one comes too late
        List<Settlement> ends = new ArrayList<>();
        for (int i = 8; i >= 0; i--) {
            String payload = text(jobs.get(i).payload());
            String token = jobs.get(i).token();
            ends.add(batches.told(
                    switch (i) {
                        case 5 -> Settlement.retried(token, Duration.ofDays(1), bytes(failed(payload)));
                        case 6 -> Settlement.discarded(token);
                        default -> Settlement.done(token);
                    },
                    payload));
        }

        assertThat(worker.settle(ends.toArray(Settlement[]::new)).moves()).containsExactly(1, 1, 1, 1, 1, 0, 1, 1, 1);
        assertThat(batches.states(batch)).isEqualTo("sssqsrxss");
        batches.assertExact(batch);
    }

    @Test
    void takeFewStepsWhereOthersStandBetween() {
        String batch = batches.batch(1, 100, plan());
        List<Settlement> ends = done(worker.take(100, QUEUE).stream()
                .filter(job -> BatchTestBed.batchJob(text(job.payload())).index() % 2 == 0)
                .toList());

        assertThat(stepsOf(ends)).isEqualTo(1);
        assertThat(batches.states(batch)).isEqualTo("sq".repeat(50));
        batches.assertExact(batch);
    }

    /** The states of both are strings of their own, with the same positions. */
    @Test
    void areSortedBesideJobsThatOthersAdded() {
        String batch = batches.batch(1, 20, plan());
        assertThat(batches.fill(batch, BatchJobId.FIRST_GROWN, 20)).isEqualTo(20);
        List<Settlement> ends = done(worker.take(40, QUEUE));
        Collections.shuffle(ends, new Random(7));

        assertThat(stepsOf(ends)).isEqualTo(2);
        assertThat(batches.states(batch)).isEqualTo("s".repeat(20));
        assertThat(batches.grown(batch)).isEqualTo("s".repeat(20));
        batches.assertExact(batch);
    }

    @Test
    void succeedAtOnceAfterTheyHadFailed() {
        String batch = batches.batch(1, 3, plan());
        List<Settlement> retries = new ArrayList<>();
        for (Claimed job : worker.take(3, QUEUE)) {
            String payload = text(job.payload());
            retries.add(
                    batches.told(Settlement.retried(job.token(), Duration.ofDays(1), bytes(failed(payload))), payload));
            bed.push(QUEUE, failed(payload));
        }
        worker.settle(retries.toArray(Settlement[]::new));
        assertThat(batches.states(batch)).isEqualTo("rrr");
        List<Settlement> ends = done(worker.take(3, QUEUE));

        worker.settle(ends.toArray(Settlement[]::new));

        assertThat(batches.states(batch)).isEqualTo("sss");
        batches.assertExact(batch);
    }
}
