package dev.jobs.batches;

import static dev.jobs.batches.BatchTestBed.QUEUE;
import static dev.jobs.batches.BatchTestBed.failed;
import static dev.jobs.batches.BatchTestBed.plan;
import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobStoreException;
import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchNotes.Running;
import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.batches.BatchStore.Correction;
import dev.jobs.batches.BatchStore.NewJob;
import dev.jobs.batches.BatchTestBed.Plan;
import dev.jobs.batches.KeyedBatches.Lead;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.SeededRandom;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import dev.jobs.store.Worker;
import dev.jobs.trash.JobTrash;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Everything that happens to batches and their jobs, in random order, late and repeated. */
final class BatchWalk {

    private static final int MOST_BATCHES = 5;
    private static final int WORKERS = 2;

    private final ScriptTestBed bed;
    private final BatchTestBed batches;
    private final BatchInvariants invariants;
    private final SeededRandom random;
    private final Map<String, Plan> plans = new LinkedHashMap<>();
    private final Set<String> uncommitted = new HashSet<>();
    private final Set<String> staged = new HashSet<>();
    private final Map<String, Long> next = new HashMap<>();
    private final List<Worker> workers = new ArrayList<>();
    private final Deque<Late> old = new ArrayDeque<>();
    private final Deque<String> log = new ArrayDeque<>();
    private final Map<String, Integer> seen = new TreeMap<>();
    private int created;
    private int lives;

    private record Late(Worker worker, Settlement settlement) {}

    BatchWalk(ScriptTestBed bed, long seed) {
        this.bed = bed;
        this.batches = new BatchTestBed(bed);
        this.invariants = new BatchInvariants(batches);
        this.random = new SeededRandom(new Random(seed));
        for (int i = 0; i < WORKERS; i++) {
            workers.add(newWorker());
        }
    }

    private Worker newWorker() {
        lives++;
        return bed.worker("w" + lives).join();
    }

    private void log(String what) {
        log.add(what);
        if (log.size() > 40) {
            log.remove();
        }
    }

    private void saw(String what) {
        seen.merge(what, 1, Integer::sum);
    }

    /** The last steps, to explain a failure. */
    String trace() {
        return String.join("\n", log);
    }

    /** How often each kind of thing happened. */
    Map<String, Integer> seen() {
        return seen;
    }

    /** One random step, and all invariants after it. */
    void step() {
        int roll = random.below(100);
        if (roll < 8) {
            create();
        } else if (roll < 20) {
            fill();
        } else if (roll < 24) {
            commit();
        } else if (roll < 27) {
            grow();
        } else if (roll < 52) {
            work(random.any(workers));
        } else if (roll < 56) {
            note(random.any(workers));
        } else if (roll < 68) {
            look(!batches.rest().isEmpty() && random.chance(80) ? random.any(batches.rest()) : anyBatch());
        } else if (roll < 78) {
            moveFromSet();
        } else if (roll < 84) {
            byHand();
        } else if (roll < 87) {
            restore();
        } else if (roll < 90) {
            die();
        } else if (roll < 93) {
            elsewhere();
        } else if (roll < 94) {
            cancel();
        } else if (roll < 96) {
            full();
        } else if (roll < 98) {
            late();
        } else if (roll < 99) {
            bed.redis.texts().scriptFlush();
        } else {
            expire();
        }
        invariants.check();
    }

    private String anyBatch() {
        return plans.isEmpty() ? BatchTestBed.id(0) : random.any(List.copyOf(plans.keySet()));
    }

    private Plan newPlan(String id) {
        List<BatchEvent> events = new ArrayList<>(Arrays.asList(BatchEvent.values()));
        events.removeIf(event -> random.chance(50));
        Plan plan = plan().callsBack(id, events.toArray(BatchEvent[]::new));
        if (random.chance(30)) {
            plan.toleratesFailures();
        }
        return random.chance(30) ? plan.toleratesSkipped() : plan;
    }

    private void create() {
        if (plans.size() >= MOST_BATCHES) {
            return;
        }
        String id = BatchTestBed.id(++created);
        Plan plan = newPlan(id);
        boolean isStaged = random.chance(50);
        List<String> committed = plans.keySet().stream()
                .filter(each -> !uncommitted.contains(each))
                .toList();
        if (!committed.isEmpty() && random.chance(40)) {
            plan.parent(random.any(committed));
        }
        if (isStaged && random.chance(40)) {
            String follower = BatchTestBed.id(++created);
            Plan following =
                    newPlan(follower).previous(id).parent(plan.definition().parent());
            plan.next(follower);
            start(follower, following, true);
        }
        start(id, plan, isStaged);
    }

    private void start(String id, Plan plan, boolean isStaged) {
        log("create " + id + (isStaged ? " staged " : " ") + plan.definition());
        batches.store.create(Lead.none(id), plan.definition(), isStaged);
        plans.put(id, plan);
        uncommitted.add(id);
        invariants.add(id, plan);
        next.put(id, 0L);
        if (isStaged) {
            staged.add(id);
            add(id, true);
        }
    }

    private void fill() {
        String id = anyBatch();
        if (plans.containsKey(id) && plans.get(id).definition().previous().isEmpty()) {
            add(id, uncommitted.contains(id) && staged.contains(id));
        }
    }

    /** Adds some jobs, of which some are there already. */
    private void add(String id, boolean isStaged) {
        long first = next.get(id) - Math.min(next.get(id), random.below(3));
        List<NewJob> jobs = new ArrayList<>();
        int count = 1 + random.below(4);
        for (long index = first; index < first + count; index++) {
            int kind = random.below(10);
            jobs.add(
                    kind == 0
                            ? BatchTestBed.refused(index)
                            : kind < 3
                                    ? BatchTestBed.scheduled(id, index, 1)
                                    : BatchTestBed.waiting(id, index, options()));
        }
        try {
            int added = batches.store.fill(id, jobs, isStaged, isStaged);
            log("add " + first + "+" + count + " to " + id + " -> " + added);
            next.put(id, Math.max(next.get(id), first + count));
            assertThat(batches.store.fill(id, jobs, isStaged, isStaged))
                    .as("the same again")
                    .isZero();
        } catch (BatchEndedException e) {
            log("add to " + id + " -> " + e.getMessage());
            saw("refused to add");
        }
    }

    private String[] options() {
        return random.chance(20) ? new String[] {"\"dead\":false"} : new String[0];
    }

    private void commit() {
        if (!uncommitted.isEmpty()) {
            commit(random.any(List.copyOf(uncommitted)));
        }
    }

    /** Commits a batch together with the one before it and those after it. */
    private void commit(String any) {
        String first = any;
        while (plans.containsKey(plans.get(first).definition().previous())) {
            first = plans.get(first).definition().previous();
        }
        List<Complete> all = new ArrayList<>();
        for (String id = first;
                plans.containsKey(id);
                id = plans.get(id).definition().next()) {
            all.add(new Complete(id, plans.get(id).definition(), staged.contains(id), List.of(QUEUE)));
        }
        try {
            batches.store.commit(all);
            log("commit " + first);
            all.forEach(batch -> uncommitted.remove(batch.id()));
        } catch (BatchEndedException e) {
            log("commit " + first + " -> " + e.getMessage());
            saw("refused to commit");
            for (Complete batch : all) {
                assertThat(batches.store.discard(batch.id(), List.of(QUEUE))).isTrue();
                forget(batch.id());
            }
        }
    }

    private void forget(String id) {
        plans.remove(id);
        uncommitted.remove(id);
        invariants.forget(id);
    }

    private void grow() {
        String id = anyBatch();
        if (!plans.containsKey(id) || uncommitted.contains(id)) {
            return;
        }
        long first = batches.store.reserve(id, 2);
        try {
            assertThat(batches.fill(id, first, 2)).isEqualTo(2);
            log("grow " + id);
            saw("grown");
        } catch (BatchEndedException e) {
            saw("refused to grow");
        }
    }

    /** Settles some jobs, and claims some. */
    private void work(Worker worker) {
        List<Settlement> settlements = new ArrayList<>();
        bed.inFlight(worker.id).forEach((token, payload) -> {
            if (settlements.size() < 4 && random.chance(60)) {
                settlements.add(batches.told(outcome(token, payload), payload));
            }
        });
        List<Claimed> claimed = worker.exchange(0, random.below(4), 1, List.of(QUEUE), settlements)
                .claimed();
        log(worker.id + " settles "
                + settlements.stream()
                        .map(each -> each.kind() + " " + each.token())
                        .toList() + ", takes " + Worker.payloads(claimed));
        if (random.chance(20)) {
            worker.repeat(worker.last());
            saw("repeated");
        }
        settlements.forEach(each -> saw(each.kind().name()));
        settlements.forEach(each -> old.add(new Late(worker, each)));
        while (old.size() > 20) {
            old.remove();
        }
    }

    /** A settlement comes once more, under another number, maybe of a worker that was given up. */
    private void late() {
        Late late = old.poll();
        if (late != null) {
            log(late.worker().id + " settles late " + late.settlement().kind() + " "
                    + late.settlement().token());
            late.worker().settle(late.settlement());
            saw("late");
        }
    }

    private Settlement outcome(String token, String payload) {
        byte[] again = bytes(failed(payload));
        return switch (random.below(12)) {
            case 0 -> Settlement.failed(token);
            case 1 -> Settlement.skipped(token);
            case 2 -> Settlement.discarded(token);
            case 3 -> Settlement.dead(token, again, true);
            case 4, 5 -> Settlement.retried(token, Duration.ZERO, again);
            case 6 -> Settlement.handedBack(token, QUEUE, true);
            case 7 -> Settlement.interrupted(token, QUEUE, bytes(payload));
            default -> Settlement.done(token);
        };
    }

    private void note(Worker worker) {
        List<Running> running = new ArrayList<>();
        bed.inFlight(worker.id)
                .forEach((token, payload) -> running.add(new Running(
                        token, BatchTestBed.batchJob(payload), new Report("\"half\"", new byte[0], "1 2"))));
        if (!running.isEmpty()) {
            log(worker.id + " notes " + running);
            batches.notes.note(worker.id, running);
            saw("noted");
        }
    }

    /** What the leader does: releases staged jobs of an open batch, and notes events that have come. */
    private void look(String id) {
        Map<String, String> before = batches.counters(id);
        if (!before.isEmpty() && plans.containsKey(id)) {
            boolean begun =
                    before.get("open").equals("0") && before.get("waits").equals("0");
            if (before.containsKey("cancelled")) {
                batches.staged.delete(id, List.of(QUEUE), batches.sets);
            } else if (begun) {
                while (batches.staged.release(id, List.of(QUEUE)) > 0) {
                    // until none is left
                }
            }
        }
        Map<String, String> counters = batches.counters(id);
        Set<BatchEvent> events = batches.look(id);
        log("look at " + id + " -> " + events);
        if (events == null || !plans.containsKey(id)) {
            return;
        }
        Set<String> expected = invariants.due(id, counters);
        expected.removeAll(counters.keySet());
        Set<String> names = new HashSet<>();
        events.forEach(event -> names.add(BatchInvariants.name(event)));
        assertThat(names).isEqualTo(expected);
        names.forEach(this::saw);
    }

    private void moveFromSet() {
        StoredSet from = random.any(List.of(StoredSet.values()));
        List<String> jobs = bed.members(from.name().toLowerCase(java.util.Locale.ROOT));
        if (jobs.isEmpty()) {
            return;
        }
        byte[] job = bytes(random.any(jobs));
        JobSets sets = batches.sets;
        int kind = random.below(10);
        Move move = kind < 6
                ? sets.toQueue(job, QUEUE, job)
                : kind < 7
                        ? sets.refuse(job)
                        : kind < 8 ? sets.delete(job) : kind < 9 ? toRetry(job, from) : sets.toDead(job, job);
        log("move from " + from + " " + move.what() + " " + text(job));
        saw(from + " " + move.what());
        assertThat(sets.move(from, List.of(move, move))).containsExactly(1, again(from, move));
    }

    private Move toRetry(byte[] job, StoredSet from) {
        StoredSet where = from == StoredSet.DEAD ? StoredSet.RETRY : from;
        return batches.sets.toSet(job, where, Duration.ZERO, job);
    }

    /** A job that stays in its set is found again. */
    private static int again(StoredSet from, Move move) {
        return move.set() == from ? 1 : 0;
    }

    private void byHand() {
        int kind = random.below(10);
        List<String> queue = bed.queue(QUEUE);
        if (kind == 0) {
            log("clear");
            saw("cleared");
            batches.clearing.takeAway(QUEUE);
        } else if (kind < 4) {
            batches.clearing.endSome();
        } else if (kind < 7 && !queue.isEmpty()) {
            List<byte[]> some = List.of(bytes(random.any(queue)));
            log("trash " + text(some.get(0)));
            saw("trashed");
            batches.trash.add(QUEUE, some, List.of(bytes("")), "b", true);
        } else {
            StoredSet set = random.any(List.of(StoredSet.values()));
            List<String> jobs = bed.members(set.name().toLowerCase(java.util.Locale.ROOT));
            if (!jobs.isEmpty()) {
                List<byte[]> some = List.of(bytes(random.any(jobs)));
                log("trash from " + set + " " + text(some.get(0)));
                saw("trashed");
                batches.trash.add(set, some, "b");
            }
        }
    }

    private void restore() {
        List<JobTrash.Trashed> all = batches.trash.newest(Instant.now(), 0, 10).items();
        if (!all.isEmpty()) {
            JobTrash.Trashed one = random.any(all);
            log("restore " + text(one.stored()));
            saw("restored");
            assertThat(batches.trash.restore(List.of(one))).containsExactly(1);
            assertThat(batches.trash.restore(List.of(one))).containsExactly(0);
        }
    }

    /** A worker dies, and its jobs are handed on. */
    private void die() {
        Worker worker = random.any(workers);
        log("die " + worker.id + " with " + bed.inFlight(worker.id).values());
        workers.set(workers.indexOf(worker), newWorker());
        if (worker.leases.leave(worker.id) > 0) {
            seen.merge("poisoned", batches.leases.reap(worker.id).poisoned().size(), Integer::sum);
            saw("reaped");
        }
    }

    /** Ruby takes a job, or somebody deletes it: later a note or the audit tells the batch. */
    private void elsewhere() {
        List<String> queue = bed.queue(QUEUE);
        if (queue.isEmpty()) {
            return;
        }
        String job = random.any(queue);
        BatchJobId batchJob = BatchTestBed.batchJob(job);
        String outcome = random.any(List.of("done", "failed", "lost", "lost"));
        log("elsewhere " + outcome + " " + job);
        saw("elsewhere");
        bed.redis.bytes().lrem(bed.keys.queue(QUEUE), -1, bytes(job));
        batches.store.mark(batchJob.batch(), List.of(new Correction(batchJob.index(), "", outcome, Report.NOTHING)));
        if (outcome.equals("lost") && random.chance(40)) { // from a backup
            bed.push(QUEUE, job);
            batches.store.mark(
                    batchJob.batch(), List.of(new Correction(batchJob.index(), "l", "queue", Report.NOTHING)));
            saw("found");
        }
    }

    private void cancel() {
        String id = anyBatch();
        if (plans.containsKey(id) && !uncommitted.contains(id)) {
            log("cancel " + id + " -> " + batches.cascade.cancel(id));
            saw("cancelled");
        }
    }

    /** Redis is full: nothing is added, everything else goes on. */
    private void full() {
        log("full");
        bed.fill();
        try {
            for (int i = 0; i < 4; i++) {
                switch (random.below(4)) {
                    case 0 -> look(anyBatch());
                    case 1 -> moveFromSet();
                    default -> work(random.any(workers));
                }
            }
            if (!plans.isEmpty()) {
                fill();
            }
        } catch (JobStoreException e) {
            assertThat(e.kind()).isEqualTo(JobStoreException.Kind.FULL);
            saw("refused by a full Redis");
        } finally {
            bed.drain();
        }
    }

    /** The keys of a batch that is over expire; its jobs in the trash and the dead set go with them. */
    private void expire() {
        for (String id : List.copyOf(plans.keySet())) {
            if (bed.redis.texts().ttl("jobs:batch:" + id) > 0 && !uncommitted.contains(id)) {
                log("expire " + id);
                saw("expired");
                remove(id);
                return;
            }
        }
    }

    private void remove(String id) {
        for (String suffix : List.of("", ":d", ":s", ":g", ":j", ":k", ":z", ":h:" + QUEUE)) {
            bed.redis.texts().del("jobs:batch:" + id + suffix);
        }
        bed.redis.texts().zrem("jobs:batches", id);
        forget(id);
    }

    /** All that waits is done; every batch ends. */
    void finish() {
        while (!uncommitted.isEmpty()) {
            commit(random.any(List.copyOf(uncommitted)));
        }
        workers.forEach(worker -> {
            worker.leases.leave(worker.id);
            batches.leases.reap(worker.id);
        });
        while (batches.clearing.endSome()) {
            // until none is aside
        }
        Worker last = newWorker();
        boolean busy = true;
        while (busy) {
            new HashSet<>(batches.rest()).forEach(this::look);
            for (StoredSet set : List.of(StoredSet.RETRY, StoredSet.SCHEDULE)) {
                bed.members(set.name().toLowerCase(java.util.Locale.ROOT))
                        .forEach(job ->
                                batches.sets.move(set, List.of(batches.sets.toQueue(bytes(job), QUEUE, bytes(job)))));
            }
            List<Claimed> claimed = last.take(50, QUEUE);
            last.settle(claimed.stream()
                    .map(job -> batches.told(Settlement.done(job.token()), text(job.payload())))
                    .toArray(Settlement[]::new));
            invariants.check();
            busy = !claimed.isEmpty()
                    || !batches.rest().isEmpty()
                    || bed.redis.texts().exists("retry", "schedule") > 0;
        }
        plans.forEach((id, plan) -> {
            if (!batches.counters(id).get("waits").equals("1")) {
                assertThat(batches.counters(id)).as("batch %s is over", id).containsKeys("finished", "told");
                assertThat(bed.members("jobs:batches:open")).doesNotContain(id);
            }
        });
    }
}
