package dev.jobs.batches;

import static dev.jobs.batches.BatchTestBed.QUEUE;
import static dev.jobs.batches.BatchTestBed.failed;
import static dev.jobs.batches.BatchTestBed.payload;
import static dev.jobs.batches.BatchTestBed.plan;
import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchNotes.Running;
import dev.jobs.batches.BatchStore.Correction;
import dev.jobs.batches.BatchTestBed.Plan;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import dev.jobs.store.Worker;
import dev.jobs.trash.JobTrash;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way in which a job of a batch can move or end: the state that it gets, and the events that follow. */
class BatchRowsIT {

    private static final String NONE = "";
    private static final String SUCCEEDS = "attempted finished succeeded";
    private static final String ENDS = "attempted finished";
    private static final String DIES = "attempted finished died";
    private static final String TRIED = "attempted";

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    /**
     * @param states of all jobs in the end
     * @param events that have come by then
     */
    record Row(String what, Plan plan, Consumer<Steps> steps, String states, String events) {

        Row(String what, Consumer<Steps> steps, String states, String events) {
            this(what, BatchTestBed.plan(), steps, states, events);
        }

        @Override
        public String toString() {
            return what;
        }
    }

    /** The batch of a row, and what happens to its jobs; the states are checked after each step. */
    static final class Steps {

        final BatchTestBed batches = new BatchTestBed(bed);
        final Worker worker = bed.worker("one").join();
        final String id;
        final Plan plan;
        private String token = "";

        Steps(Plan plan) {
            this.plan = plan;
            this.id = batches.create(BatchTestBed.id(1), plan.callsBack(BatchTestBed.id(1), BatchEvent.values()));
        }

        Steps has(int jobs, String... members) {
            for (int i = 0; i < jobs; i++) {
                batches.store.fill(id, List.of(BatchTestBed.waiting(id, i, members)), false, false);
            }
            return commit();
        }

        Steps hasScheduled() {
            batches.store.fill(id, List.of(BatchTestBed.scheduled(id, 0, 1)), false, false);
            return commit();
        }

        Steps hasRefused() {
            batches.store.fill(id, List.of(BatchTestBed.refused(0)), false, false);
            return commit();
        }

        Steps commit() {
            batches.commit(id, plan);
            return done();
        }

        Steps done() {
            batches.assertExact(id);
            return this;
        }

        Steps claim() {
            Claimed job = worker.takeOne(QUEUE);
            token = job.token();
            return done();
        }

        Steps note() {
            batches.notes.note("one", List.of(new Running(token, BatchTestBed.job(id, 0), Report.NOTHING)));
            return done();
        }

        Steps settle(Function<String, Settlement> how) {
            assertThat(worker.settle(batches.told(how.apply(token), payload(id, 0)))
                            .moves())
                    .containsExactly(1);
            return done();
        }

        Steps fail() {
            return claim().settle(retried());
        }

        Function<String, Settlement> retried() {
            return by -> Settlement.retried(by, Duration.ZERO, bytes(failed(payload(id, 0))));
        }

        Function<String, Settlement> dies() {
            return by -> Settlement.dead(by, bytes(failed(payload(id, 0))), true);
        }

        Steps move(StoredSet from, Function<byte[], Move> where) {
            byte[] stored = bytes(
                    bed.members(from.name().toLowerCase(java.util.Locale.ROOT)).get(0));
            assertThat(batches.sets.move(from, List.of(where.apply(stored)))).containsExactly(1);
            return done();
        }

        Steps promote(StoredSet from) {
            return move(from, stored -> batches.sets.toQueue(stored, QUEUE, stored));
        }

        Steps moveFromQueue(Function<byte[], Move> where) {
            byte[] stored = bytes(bed.queue(QUEUE).get(0));
            assertThat(batches.sets.moveFromQueue(QUEUE, List.of(where.apply(stored))))
                    .containsExactly(1);
            return done();
        }

        Steps reap(int times) {
            Worker current = worker;
            for (int i = 0; i < times; i++) {
                String name = "victim" + i;
                if (i > 0 || bed.inFlight("one").isEmpty()) {
                    current = bed.worker(name).join();
                    current.takeOne(QUEUE);
                }
                current.leases.leave(current.id);
                assertThat(batches.leases.reap(current.id).finished()).isTrue();
                done();
            }
            return this;
        }

        Steps trash(StoredSet from) {
            List<byte[]> jobs = bed.members(from.name().toLowerCase(java.util.Locale.ROOT)).stream()
                    .map(ScriptTestBed::bytes)
                    .toList();
            assertThat(batches.trash.add(from, jobs, "b").fates()).containsOnly(JobTrash.Fate.KEPT);
            return done();
        }

        Steps trashQueue() {
            List<byte[]> jobs =
                    bed.queue(QUEUE).stream().map(ScriptTestBed::bytes).toList();
            List<byte[]> before =
                    new ArrayList<>(jobs.stream().map(job -> bytes("")).toList());
            assertThat(batches.trash.add(QUEUE, jobs, before, "b", true).fates())
                    .containsOnly(JobTrash.Fate.KEPT);
            return done();
        }

        Steps restore() {
            assertThat(batches.trash.restore(
                            batches.trash.newest(Instant.now(), 0, 10).items()))
                    .isNotEmpty()
                    .containsOnly(1);
            return done();
        }

        Steps mark(String expected, String outcome) {
            assertThat(batches.store.mark(id, List.of(new Correction(0, expected, outcome, Report.NOTHING))))
                    .containsExactly(true);
            return done();
        }

        Steps look() {
            batches.lookAtAll();
            bed.redis.texts().ltrim("queue:" + QUEUE, 1, 0); // without the callbacks
            return done();
        }
    }

    static Stream<Row> rows() {
        return Stream.of(
                new Row("added to a queue", b -> b.has(2), "qq", NONE),
                new Row("added to the scheduled set", Steps::hasScheduled, "q", NONE),
                new Row("refused by a middleware", Steps::hasRefused, "k", ENDS),
                new Row("refused, which is tolerated", plan().toleratesSkipped(), Steps::hasRefused, "k", SUCCEEDS),
                new Row("no job at all", Steps::commit, "", SUCCEEDS),
                new Row("claimed", b -> b.has(1).claim(), "q", NONE),
                new Row(
                        "handed back unstarted",
                        b -> b.has(1).claim().settle(by -> Settlement.handedBack(by, QUEUE, false)),
                        "q",
                        NONE),
                new Row("still runs", b -> b.has(1).claim().note(), "w", NONE),
                new Row("still runs, noted twice", b -> b.has(1).claim().note().note(), "w", NONE),
                new Row(
                        "runs again after a failure",
                        b -> b.has(1).fail().promote(StoredSet.RETRY).claim().note(),
                        "v",
                        TRIED),
                new Row("done", b -> b.has(1).claim().settle(Settlement::done), "s", SUCCEEDS),
                new Row("done after a note", b -> b.has(1).claim().note().settle(Settlement::done), "s", SUCCEEDS),
                new Row("the first of two is done", b -> b.has(2).claim().settle(Settlement::done), "sq", NONE),
                new Row("failed for the business", b -> b.has(1).claim().settle(Settlement::failed), "f", ENDS),
                new Row(
                        "failed for the business, which is tolerated",
                        plan().toleratesFailures(),
                        b -> b.has(1).claim().settle(Settlement::failed),
                        "f",
                        SUCCEEDS),
                new Row("failed, retry left", b -> b.has(1).fail(), "r", TRIED),
                new Row(
                        "failed after a note, retry left",
                        b -> b.has(1).claim().note().settle(b.retried()),
                        "r",
                        TRIED),
                new Row(
                        "failed again, retry left",
                        b -> b.has(1).fail().promote(StoredSet.RETRY).fail(),
                        "r",
                        TRIED),
                new Row(
                        "done at the second try",
                        b -> b.has(1).fail().promote(StoredSet.RETRY).claim().settle(Settlement::done),
                        "s",
                        SUCCEEDS),
                new Row("out of retries", b -> b.has(1).claim().settle(b.dies()), "d", DIES),
                new Row("discarded", b -> b.has(1).claim().settle(Settlement::discarded), "x", DIES),
                new Row("dead before others have run", b -> b.has(2).claim().settle(b.dies()), "dq", "died"),
                new Row(
                        "interrupted itself",
                        b -> b.has(1)
                                .claim()
                                .note()
                                .settle(by -> Settlement.interrupted(by, QUEUE, bytes(payload(b.id, 0)))),
                        "q",
                        NONE),
                new Row(
                        "interrupted itself at the second try",
                        b -> b.has(1)
                                .fail()
                                .promote(StoredSet.RETRY)
                                .claim()
                                .note()
                                .settle(by -> Settlement.interrupted(by, QUEUE, bytes(payload(b.id, 0)))),
                        "r",
                        TRIED),
                new Row(
                        "still ran at the end of its worker",
                        b -> b.has(1).claim().note().settle(by -> Settlement.handedBack(by, QUEUE, true)),
                        "q",
                        NONE),
                new Row("recovered", b -> b.has(1).claim().reap(1), "q", NONE),
                new Row("recovered while it ran", b -> b.has(1).claim().note().reap(1), "q", NONE),
                new Row(
                        "recovered at the second try",
                        b -> b.has(1)
                                .fail()
                                .promote(StoredSet.RETRY)
                                .claim()
                                .note()
                                .reap(1),
                        "r",
                        TRIED),
                new Row("poison", b -> b.has(1).claim().note().reap(3), "d", DIES),
                new Row(
                        "poison that is discarded",
                        b -> b.has(1, "\"dead\":false").claim().reap(3),
                        "x",
                        DIES),
                new Row(
                        "settled too late",
                        b -> {
                            b.has(1).claim().note().reap(1);
                            assertThat(b.worker
                                            .settle(b.batches.told(Settlement.failed(b.token), payload(b.id, 0)))
                                            .moves())
                                    .containsExactly(0);
                        },
                        "q",
                        NONE),
                new Row("noted too late", b -> b.has(1).claim().reap(1).note(), "q", NONE),
                new Row("a retry is due", b -> b.has(1).fail().promote(StoredSet.RETRY), "r", TRIED),
                new Row("its time has come", b -> b.hasScheduled().promote(StoredSet.SCHEDULE), "q", NONE),
                new Row(
                        "refused when it is due",
                        b -> b.hasScheduled().move(StoredSet.SCHEDULE, b.batches.sets::refuse),
                        "k",
                        ENDS),
                new Row(
                        "no job when it is due",
                        b -> b.hasScheduled().move(StoredSet.SCHEDULE, job -> b.batches.sets.toDead(job, job)),
                        "d",
                        DIES),
                new Row(
                        "killed in the retry set",
                        b -> b.has(1).fail().move(StoredSet.RETRY, job -> b.batches.sets.toDead(job, job)),
                        "d",
                        DIES),
                new Row(
                        "killed in its queue",
                        b -> b.has(1).moveFromQueue(job -> b.batches.sets.toDead(job, job)),
                        "d",
                        DIES),
                new Row(
                        "rescheduled",
                        b -> b.hasScheduled()
                                .move(
                                        StoredSet.SCHEDULE,
                                        job -> b.batches.sets.toSet(job, StoredSet.SCHEDULE, Instant.now(), job)),
                        "q",
                        NONE),
                new Row(
                        "postponed in the retry set",
                        b -> b.has(1)
                                .fail()
                                .move(
                                        StoredSet.RETRY,
                                        job -> b.batches.sets.toSet(job, StoredSet.RETRY, Instant.now(), job)),
                        "r",
                        TRIED),
                new Row(
                        "dead, run now",
                        b -> b.has(1).claim().settle(b.dies()).look().promote(StoredSet.DEAD),
                        "r",
                        DIES),
                new Row(
                        "dead, run now before anybody looked",
                        b -> b.has(1).claim().settle(b.dies()).promote(StoredSet.DEAD),
                        "r",
                        TRIED),
                new Row(
                        "dead, to the retry set",
                        b -> b.has(1)
                                .claim()
                                .settle(b.dies())
                                .look()
                                .move(
                                        StoredSet.DEAD,
                                        job -> b.batches.sets.toSet(job, StoredSet.RETRY, Duration.ZERO, job)),
                        "r",
                        DIES),
                new Row(
                        "dead, and done after all",
                        b -> b.has(1)
                                .claim()
                                .settle(b.dies())
                                .look()
                                .promote(StoredSet.DEAD)
                                .look()
                                .mark("r", "done"),
                        "s",
                        DIES + " succeeded"),
                new Row("deleted from its queue", b -> b.has(1).trashQueue(), "k", ENDS),
                new Row("deleted from the scheduled set", b -> b.hasScheduled().trash(StoredSet.SCHEDULE), "k", ENDS),
                new Row("deleted from the retry set", b -> b.has(1).fail().trash(StoredSet.RETRY), "k", ENDS),
                new Row(
                        "deleted from the dead set",
                        b -> b.has(1).claim().settle(b.dies()).look().trash(StoredSet.DEAD),
                        "k",
                        DIES),
                new Row(
                        "deleted from the dead set, which is tolerated",
                        plan().toleratesSkipped(),
                        b -> b.has(1).claim().settle(b.dies()).look().trash(StoredSet.DEAD),
                        "k",
                        DIES + " succeeded"),
                new Row("deleted for good", b -> b.has(1).moveFromQueue(b.batches.sets::delete), "k", ENDS),
                new Row("restored to its queue", b -> b.has(1).trashQueue().restore(), "q", NONE),
                new Row(
                        "restored to its queue after the end",
                        b -> b.has(1).trashQueue().look().restore(),
                        "r",
                        ENDS),
                new Row(
                        "restored to the scheduled set",
                        b -> b.hasScheduled().trash(StoredSet.SCHEDULE).restore(),
                        "q",
                        NONE),
                new Row(
                        "restored to the retry set",
                        b -> b.has(1).fail().trash(StoredSet.RETRY).restore(),
                        "r",
                        TRIED),
                new Row(
                        "restored to the dead set",
                        b -> b.has(1)
                                .claim()
                                .settle(b.dies())
                                .trash(StoredSet.DEAD)
                                .restore(),
                        "d",
                        DIES),
                new Row(
                        "its queue is cleared",
                        b -> {
                            b.has(3).claim();
                            assertThat(b.batches.clearing.clear(QUEUE)).isEqualTo(2);
                        },
                        "qkk",
                        NONE),
                new Row(
                        "falls out of the dead set",
                        b -> {
                            b.has(1).claim().settle(b.dies());
                            bed.redis.texts().del("dead");
                        },
                        "d",
                        DIES),
                new Row("skipped when it is taken", b -> b.has(1).claim().settle(Settlement::skipped), "k", ENDS),
                new Row(
                        "skipped after a failure",
                        b -> b.has(1).fail().promote(StoredSet.RETRY).claim().settle(Settlement::skipped),
                        "k",
                        ENDS),
                new Row("done by Ruby", b -> b.has(1).mark("", "done"), "s", SUCCEEDS),
                new Row("failed in Ruby", b -> b.has(1).mark("", "retried"), "r", TRIED),
                new Row("died in Ruby", b -> b.has(1).mark("", "dead"), "d", DIES),
                new Row("found nowhere", b -> b.has(1).mark("qrwv", "lost"), "l", ENDS),
                new Row(
                        "found nowhere after a note",
                        b -> b.has(1).claim().note().mark("w", "lost"),
                        "l",
                        ENDS),
                new Row(
                        "lost, and runs",
                        b -> b.has(1).mark("q", "lost").claim().note(),
                        "v",
                        TRIED),
                new Row(
                        "lost, and done",
                        b -> b.has(1).mark("q", "lost").claim().settle(Settlement::done),
                        "s",
                        SUCCEEDS),
                new Row(
                        "lost, and done after the end",
                        b -> b.has(1).claim().mark("q", "lost").look().settle(Settlement::done),
                        "s",
                        SUCCEEDS),
                new Row(
                        "lost, and handed back after the end",
                        b -> b.has(1)
                                .claim()
                                .mark("q", "lost")
                                .look()
                                .settle(by -> Settlement.handedBack(by, QUEUE, true)),
                        "r",
                        ENDS),
                new Row("done twice", b -> b.has(1).claim().mark("q", "done").settle(Settlement::done), "s", SUCCEEDS),
                new Row(
                        "done, then dead",
                        b -> b.has(1).claim().mark("q", "done").settle(b.dies()),
                        "s",
                        SUCCEEDS),
                new Row(
                        "failed for the business, then done",
                        b -> b.has(1).claim().mark("q", "failed").settle(Settlement::done),
                        "f",
                        ENDS),
                new Row(
                        "skipped, then done after the end",
                        b -> b.has(1).claim().mark("q", "deleted").look().settle(Settlement::done),
                        "s",
                        SUCCEEDS),
                new Row(
                        "skipped, then done",
                        b -> b.has(1).claim().mark("q", "deleted").settle(Settlement::done),
                        "s",
                        SUCCEEDS));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void eachStepChangesTheStateAndTheCountersTogether(Row row) {
        bed.clear();
        Steps steps = new Steps(row.plan());

        row.steps().accept(steps);

        steps.batches.assertExact(steps.id);
        assertThat(steps.batches.states(steps.id)).isEqualTo(row.states());
        steps.batches.lookAtAll();
        assertThat(events(steps)).isEqualTo(words(row.events()));
        assertThat(callbacks(steps)).as("pushed once with its event").isEqualTo(words(row.events()));
        steps.batches.assertExact(steps.id);
        boolean pending = row.states().matches(".*[qwrv].*");
        assertThat(bed.redis.texts().zscore("jobs:batches:open", steps.id) != null)
                .as("open")
                .isEqualTo(pending || !callbacks(steps).isEmpty());
        assertThat(bed.books().conservationError()).isZero();
    }

    private static Set<String> words(String text) {
        return Arrays.stream(text.split(" "))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> events(Steps steps) {
        return Stream.of("attempted", "finished", "succeeded", "died")
                .filter(steps.batches.counters(steps.id)::containsKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The events whose callbacks have been pushed. */
    private static Set<String> callbacks(Steps steps) {
        return Arrays.stream(BatchEvent.values())
                .filter(event -> steps.batches.counters(steps.id).containsKey("c" + (event.ordinal() + 1)))
                .map(event -> event.name().toLowerCase(java.util.Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void whatAJobSaidStaysIfItsWorkerDies() {
        bed.clear();
        Steps steps = new Steps(plan());
        steps.has(1).claim();
        steps.batches.notes.note(
                "one",
                List.of(new Running(
                        steps.token, BatchTestBed.job(steps.id, 0), new Report("\"half\"", new byte[0], "1 2"))));

        steps.reap(1);

        assertThat(steps.batches.reader.jobs(steps.id, Set.of(), -1, 10).jobs())
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.messages()).containsExactly("half");
                    assertThat(job.progress())
                            .as("of an execution that is over")
                            .isNull();
                });
    }

    @Test
    void nothingIsCreatedForABatchThatIsGone() {
        bed.clear();
        Steps steps = new Steps(plan());
        steps.has(1);
        bed.redis.texts().del("jobs:batch:" + steps.id);
        Claimed job = steps.worker.takeOne(QUEUE);
        steps.batches.notes.note(
                "one", List.of(new Running(job.token(), BatchTestBed.job(steps.id, 0), Report.NOTHING)));

        assertThat(steps.worker
                        .settle(steps.batches.told(Settlement.done(job.token()), text(job.payload())))
                        .moves())
                .containsExactly(1);

        assertThat(bed.redis.texts().exists("jobs:batch:" + steps.id)).isZero();
        assertThat(steps.batches.states(steps.id)).isEqualTo("q");
        assertThat(steps.batches.look(steps.id)).isNull();
        assertThat(bed.redis.texts().exists("jobs:batches:open", "jobs:batches:rest"))
                .isZero();
        assertThat(bed.books().conservationError()).isZero();
    }
}
