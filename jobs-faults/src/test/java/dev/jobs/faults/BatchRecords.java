package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchJobId;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchPage;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Compares what batches say of their jobs with what the filler intended and the workers recorded. */
final class BatchRecords {

    private static final int PAGE = 1_000;

    private final Trial trial;
    private final Batches batches;
    private final Map<String, Integer> sizes = new HashMap<>();

    /** What is wrong. */
    private final List<String> wrong = new ArrayList<>();

    private final Map<BatchJobState, Long> ends = new EnumMap<>(BatchJobState.class);
    private Map<String, List<Execution>> executions = Map.of();
    private Set<String> buried = Set.of();
    private final Set<String> skipped = new HashSet<>();
    private long callbacks;

    BatchRecords(Trial trial) {
        this.trial = trial;
        this.batches = trial.producer.batches();
        for (int number = 0; number < BatchFiller.count(trial.dose); number++) {
            sizes.putAll(BatchShape.sizes(number, BatchFiller.jobs(trial.dose)));
        }
    }

    private List<BatchStatus> all() {
        return trial.redis.zrange("jobs:batches", 0, -1).stream()
                .map(id -> batches.find(id).orElseThrow())
                .toList();
    }

    /** The batches that will not end by themselves: all but those that have, and those that nothing leads to. */
    List<String> unfinished() {
        Set<String> neverOpen = neverOpen();
        return all().stream()
                .filter(batch -> !isOver(batch) && !neverOpen.contains(batch.id()))
                .map(batch -> batch.id() + " " + batch.name())
                .toList();
    }

    /** Batches that wait for one that is over without success, as when a kill hit one of its jobs too often. */
    private Set<String> neverOpen() {
        Map<String, BatchStatus> byNext = new HashMap<>();
        List<BatchStatus> all = all();
        all.stream().filter(batch -> batch.next() != null).forEach(batch -> byNext.put(batch.next(), batch));
        return all.stream()
                .filter(batch -> neverOpens(batch, byNext))
                .map(BatchStatus::id)
                .collect(Collectors.toSet());
    }

    private static boolean isOver(BatchStatus batch) {
        return batch.isFinished()
                && batch.callbacks().values().stream()
                        .allMatch(state -> state == BatchJobState.SUCCEEDED || state == BatchJobState.DEAD);
    }

    private static boolean neverOpens(BatchStatus batch, Map<String, BatchStatus> byNext) {
        BatchStatus previous = byNext.get(batch.id());
        return batch.waitsForPrevious()
                && previous != null
                && isOver(previous)
                && !previous.events().containsKey(BatchEvent.SUCCEEDED);
    }

    /** Compares when all batches are over, and tells the producer's record which jobs had to be executed. */
    void compare() {
        executions = trial.executions().stream()
                .sorted(Comparator.comparing(Execution::started))
                .collect(Collectors.groupingBy(Execution::jid));
        buried = trial.buried();
        List<BatchStatus> all = all();
        assertThat(all.stream().map(BatchStatus::name)).containsExactlyInAnyOrderElementsOf(sizes.keySet());
        Map<String, BatchStatus> byId = all.stream().collect(Collectors.toMap(BatchStatus::id, batch -> batch));
        for (BatchStatus batch : all) {
            if (batch.waitsForPrevious()) {
                ends.merge(BatchJobState.ENQUEUED, batch.total(), Long::sum);
            } else {
                compare(batch);
                compareCallbacks(batch);
                if (batch.parent() != null) {
                    compareWithParent(batch, Objects.requireNonNull(byId.get(batch.parent())));
                }
            }
        }
        long error =
                all.stream().mapToLong(batch -> trial.batchError(batch.id())).sum();
        trial.note("batches", all.size());
        trial.note("batch_jobs", all.stream().mapToLong(BatchStatus::total).sum());
        ends.forEach((state, count) -> trial.note("batch_" + state.name().toLowerCase(java.util.Locale.ROOT), count));
        trial.note("batch_callbacks", callbacks);
        trial.note("batch_error", error);
        assertThat(error).as("error of the batches' counters").isZero();
        assertThat(wrong).as("wrong in batches, see %s", trial.directory).isEmpty();
    }

    private void compare(BatchStatus batch) {
        Map<BatchJobState, Long> states = new EnumMap<>(BatchJobState.class);
        long read = 0;
        BatchPage page = new BatchPage(List.of(), 0);
        for (long after = -1; page.hasMore(); after = page.next()) {
            page = batches.jobs(batch.id(), Set.of(), after, PAGE);
            for (BatchJob job : page.jobs()) {
                states.merge(job.state(), 1L, Long::sum);
                compare(batch, job);
                read++;
            }
        }
        states.forEach((state, count) -> ends.merge(state, count, Long::sum));
        Map<BatchJobState, Long> counters = new EnumMap<>(BatchJobState.class);
        counters.put(BatchJobState.SUCCEEDED, batch.succeeded());
        counters.put(BatchJobState.FAILED, batch.failed());
        counters.put(BatchJobState.SKIPPED, batch.skipped());
        counters.put(BatchJobState.DEAD, batch.dead());
        counters.values().removeIf(count -> count == 0);
        check(batch, "counts " + counters + " but has " + states, counters.equals(byCounter(states)));
        check(batch, "has " + batch.total() + " jobs but lists " + read, batch.total() == read);
        long grown = executions.keySet().stream()
                .filter(jid -> jid.startsWith(batch.id()))
                .filter(jid -> Objects.requireNonNull(BatchJobId.parse(jid)).isGrown())
                .count();
        long expected = sizes.get(batch.name()) + grown;
        check(
                batch,
                "has " + batch.total() + " jobs instead of " + expected,
                batch.total() == expected || batch.cancelledAt() != null && batch.total() > expected);
    }

    private static Map<BatchJobState, Long> byCounter(Map<BatchJobState, Long> states) {
        Map<BatchJobState, Long> counted = new EnumMap<>(BatchJobState.class);
        states.forEach((state, count) ->
                counted.merge(state == BatchJobState.DISCARDED ? BatchJobState.DEAD : state, count, Long::sum));
        return counted;
    }

    private void compare(BatchStatus batch, BatchJob job) {
        boolean finished =
                executions.getOrDefault(job.jid(), List.of()).stream().anyMatch(Execution::finished);
        boolean began = executions.containsKey(job.jid());
        boolean grown = job.index() >= BatchJobId.FIRST_GROWN;
        BatchJobState end = grown ? BatchJobState.SUCCEEDED : BatchShape.end(batch.name(), job.index());
        boolean right =
                switch (job.state()) {
                    case SUCCEEDED -> end == BatchJobState.SUCCEEDED && finished;
                    case FAILED -> end == BatchJobState.FAILED && began;
                    case DEAD -> buried.contains(job.jid());
                    case DISCARDED -> end == BatchJobState.DISCARDED && began;
                    case SKIPPED -> batch.cancelledAt() != null;
                    default -> false;
                };
        check(batch, "says that " + job.jid() + " is " + job.state(), right);
        if (job.state() == BatchJobState.SKIPPED) {
            skipped.add(job.jid());
        }
        if (job.state() == BatchJobState.SUCCEEDED || job.state() == BatchJobState.DEAD) {
            trial.producer.accepted(job.jid());
        }
    }

    private void compareCallbacks(BatchStatus batch) {
        for (BatchEvent event : BatchEvent.values()) {
            boolean came = batch.events().containsKey(event);
            boolean must =
                    switch (event) {
                        case ATTEMPTED, FINISHED -> true;
                        case SUCCEEDED -> succeeded(batch);
                        case DIED -> batch.dead() > 0;
                    };
            boolean right = came == must || event == BatchEvent.SUCCEEDED && ranBeforeItWasCancelled(batch);
            check(batch, (came ? "had " : "had not ") + event, right);
            String jid = callback(batch, event);
            check(
                    batch,
                    "'s callback for " + event + (came ? " didn't run" : " ran"),
                    came == (has(jid) || buried.contains(jid)));
            if (came) {
                callbacks++;
                trial.producer.accepted(jid);
            }
        }
    }

    private static boolean succeeded(BatchStatus batch) {
        return batch.name().startsWith(BatchShape.CHAIN.name()) && batch.dead() == 0;
    }

    /** A batch is cancelled after its creation, so its jobs may all have run by then. */
    private static boolean ranBeforeItWasCancelled(BatchStatus batch) {
        return batch.name().startsWith(BatchShape.CANCELLED.name()) && batch.succeeded() == batch.total();
    }

    private boolean has(String jid) {
        return executions.containsKey(jid);
    }

    private static String callback(BatchStatus batch, BatchEvent event) {
        return new BatchJobId(batch.id(), BatchJobId.FIRST_CALLBACK + event.ordinal() + 1).jid();
    }

    /** A parent ends after its children and their callbacks. */
    private void compareWithParent(BatchStatus child, BatchStatus parent) {
        List<Execution> after = executions.getOrDefault(callback(parent, BatchEvent.FINISHED), List.of());
        String callback = callback(child, BatchEvent.FINISHED);
        List<Execution> ofChild = executions.getOrDefault(callback, List.of());
        Instant before = ofChild.stream()
                .filter(Execution::finished)
                .map(Execution::ended)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(buried.contains(callback) ? lastStart(ofChild) : Instant.MAX);
        check(
                parent,
                "ended before its child " + child.id(),
                !after.isEmpty() && !after.get(0).started().isBefore(before));
    }

    /** One that outlived its workers too often has no end: it was buried after its last start. */
    private static Instant lastStart(List<Execution> buried) {
        return buried.stream()
                .map(Execution::started)
                .max(Comparator.naturalOrder())
                .orElse(Instant.MIN);
    }

    private void check(BatchStatus batch, String what, boolean right) {
        if (!right) {
            wrong.add(batch.name() + " (" + batch.id() + ") " + what);
        }
    }

    /** The jobs that were skipped. */
    Set<String> skipped() {
        return skipped;
    }

    /** Every key of a batch expires, and no list of unfinished batches has another one than those that never open. */
    void assertNoKeyStays() {
        // The leader looks at a batch once more after its last callback has ended.
        await().untilAsserted(() -> {
            List<String> staying = trial.redis.keys("jobs:batch:*").stream()
                    .filter(key -> trial.redis.ttl(key) < 0)
                    .toList();
            assertThat(staying).as("keys of batches that don't expire").isEmpty();
            for (String list : List.of("jobs:batches:open", "jobs:batches:rest", "jobs:batches:cancelled")) {
                assertThat(trial.redis.zrange(list, 0, -1).stream()
                                .filter(id -> !neverOpen().contains(id))
                                .map(id -> id + " " + trial.redis.hgetall("jobs:batch:" + id)))
                        .as(list)
                        .isEmpty();
            }
        });
    }
}
