package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Poisoned;
import dev.jobs.leases.ProcessLeases.Reaped;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.store.JobClaims.Claimed;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;

/**
 * Everything that processes, pollers, reapers and people do to jobs, in random order, late and repeated. Each step is
 * checked against its expected result, and the jobs against those that must exist.
 */
final class RandomWalk {

    private static final List<String> QUEUES = RandomExchanges.QUEUES;
    private static final int PROCESSES = 3;
    private static final String ASIDE =
            "if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], 'aside') end redis.call('SET', KEYS[1], 'text')";
    private static final String BACK =
            "redis.call('DEL', KEYS[1]) if redis.call('EXISTS', 'aside') == 1 then redis.call('RENAME', 'aside', KEYS[1]) end";

    private final ScriptTestBed bed;
    private final SeededRandom random;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Worker> zombies = new ArrayList<>();
    private final ExpectedJobs expected;
    private final RandomExchanges exchanges;
    private final Deque<String> log = new ArrayDeque<>();
    private int lives;

    RandomWalk(ScriptTestBed bed, long seed) {
        this.bed = bed;
        this.random = new SeededRandom(new Random(seed));
        this.expected = new ExpectedJobs(bed);
        this.exchanges = new RandomExchanges(bed, random, expected, this::log);
        for (int i = 0; i < PROCESSES; i++) {
            workers.add(newWorker());
        }
    }

    private Worker newWorker() {
        lives++;
        Worker worker = bed.worker("host:" + lives + ":nonce");
        log("join " + worker.id);
        return worker.join();
    }

    private void log(String what) {
        log.add(what);
        if (log.size() > 60) {
            log.remove();
        }
    }

    /** The last steps, to explain a failure. */
    String trace() {
        return String.join("\n", log);
    }

    /** Checks that all jobs are where they must be. */
    void check() {
        expected.check();
    }

    /** One random step. */
    void step() {
        int roll = random.below(100);
        if (roll < 20) {
            push();
        } else if (roll < 60) {
            exchanges.make(random.any(workers));
        } else if (roll < 70) {
            exchanges.repeat(random.any(random.chance(70) || zombies.isEmpty() ? workers : zombies));
        } else if (roll < 76) {
            beat();
        } else if (roll < 80) {
            promote();
        } else if (roll < 84) {
            byHand();
        } else if (roll < 88) {
            reap();
        } else if (roll < 92) {
            late();
        } else if (roll < 94) {
            freeze();
        } else if (roll < 96) {
            leave();
        } else if (roll < 97) {
            forget();
        } else if (roll < 98) {
            bed.redis.texts().scriptFlush();
        } else {
            trouble();
        }
    }

    private void push() {
        String queue = random.any(QUEUES);
        int count = 1 + random.below(3);
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            payloads.add(bytes(expected.newJob(random.chance(15))));
        }
        log("push " + count + " to " + queue);
        new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me" + random.below(Integer.MAX_VALUE))
                .push(queue, payloads);
    }

    private void beat() {
        if (random.chance(50)) {
            bed.letARoundBeDue();
        }
        Worker worker = random.any(workers);
        log("beat " + worker.id);
        if (!(worker.beat() instanceof Alive alive)) {
            renew(worker);
        } else {
            assertThat(alive.held()).isEqualTo(bed.inFlight(worker.id).size());
        }
    }

    /** The process continues under a new identity; the old one still makes calls occasionally. */
    private void renew(Worker worker) {
        zombies.add(worker);
        if (zombies.size() > 5) {
            zombies.remove(0);
        }
        workers.set(workers.indexOf(worker), newWorker());
    }

    /** A process sends no beat for so long that it is given up, without knowing it yet. */
    private void freeze() {
        Worker frozen = random.any(workers);
        log("freeze " + frozen.id);
        for (int i = 0; i <= ProcessLeases.ROUNDS + 1; i++) {
            for (Worker worker : List.copyOf(workers)) {
                bed.letARoundBeDue();
                if (worker != frozen && !(worker.beat() instanceof Alive)) {
                    renew(worker);
                }
            }
        }
        Double beat = bed.redis.texts().zscore("jobs:beats", frozen.id);
        assertThat(beat == null || beat == -1).isTrue();
    }

    /** A call of a process that does not know yet that it was given up. */
    private void late() {
        if (!zombies.isEmpty()) {
            exchanges.make(random.any(zombies));
        }
    }

    private void reap() {
        List<String> victims = new ArrayList<>(bed.leases().givenUp());
        victims.add(random.any(workers).id); // a reaper may try a living one, too
        String victim = random.any(victims);
        Double beat = bed.redis.texts().zscore("jobs:beats", victim);
        SortedMap<String, String> held = bed.inFlight(victim);
        Reaped reaped = bed.countingLeases().reap(victim);
        log("reap " + victim + " -> " + reaped);
        if (beat == null || beat > 0) {
            assertThat(reaped.recovered() + reaped.poisoned().size()).isZero();
            assertThat(bed.inFlight(victim)).isEqualTo(held);
            return;
        }
        assertThat(reaped.recovered() + reaped.poisoned().size() + reaped.left())
                .isEqualTo(held.size());
        assertThat(reaped.finished()).isEqualTo(reaped.left() == 0);
        assertThat(reaped.left() == 0 || exchanges.isTroubled()).isTrue();
        expected.hadEffects(reaped.recovered() + reaped.poisoned().size());
        for (Poisoned job : reaped.poisoned()) {
            if (job.discarded()) {
                expected.isGone(text(job.payload()));
            }
        }
    }

    private void leave() {
        Worker worker = random.any(workers);
        int held = bed.inFlight(worker.id).size();
        log("leave " + worker.id + " with " + held);
        assertThat(worker.leases.leave(worker.id)).isEqualTo(held);
        assertThat(worker.leases.leave(worker.id)).isEqualTo(held);
        renew(worker);
    }

    /** The index of living processes loses one, as by an eviction or by hand, and the sweep finds its jobs. */
    private void forget() {
        Worker worker = random.any(workers);
        log("forget " + worker.id);
        bed.redis.texts().zrem("jobs:beats", worker.id);
        bed.condemnUnknown();
        renew(worker);
    }

    private void promote() {
        promote(StoredSet.RETRY);
        promote(StoredSet.SCHEDULE);
    }

    private void promote(StoredSet set) {
        JobSets sets = bed.sets();
        JobSets.Due due = sets.due(100);
        List<Move> moves = (set == StoredSet.RETRY ? due.retries() : due.scheduled())
                .stream()
                        .map(entry -> random.chance(90)
                                ? sets.toQueue(
                                        entry.payload(), random.any(QUEUES), ExpectedJobs.edited(text(entry.payload())))
                                : sets.toDead(entry.payload(), entry.payload()))
                        .toList();
        log("promote " + moves.size() + " of " + set);
        if (!moves.isEmpty()) {
            List<Move> counted = moves.stream()
                    .map(move -> move.with(List.of(ScriptTestBed.count("promoted"))))
                    .toList();
            assertThat(sets.move(set, counted)).containsOnly(1);
            assertThat(sets.move(set, counted)).containsOnly(0);
            expected.hadEffects(counted.size());
        }
    }

    /** What users do with a queue or the dead set. */
    private void byHand() {
        JobSets sets = bed.sets();
        String queue = random.any(QUEUES);
        List<String> jobs = random.chance(50) ? bed.members("dead") : bed.queue(queue);
        if (jobs.isEmpty()) {
            return;
        }
        byte[] job = bytes(random.any(jobs));
        log("by hand " + text(job));
        if (bed.members("dead").contains(text(job))) {
            assertThat(sets.move(StoredSet.DEAD, List.of(sets.toQueue(job, queue, ExpectedJobs.edited(text(job))))))
                    .containsExactly(1);
        } else if (random.chance(20)) {
            assertThat(new JobQueues(bed.connection, bed.keys).delete(queue, job))
                    .isTrue();
            expected.isGone(text(job));
        } else {
            assertThat(sets.moveFromQueue(queue, List.of(sets.toDead(job, job))))
                    .containsExactly(1);
        }
    }

    /** Some steps while Redis is full or a key has the wrong type. */
    private void trouble() {
        String key =
                random.chance(30) ? "" : random.any(List.of("retry", "schedule", "dead", "queue:mail", "queue:low"));
        log("trouble with " + (key.isEmpty() ? "memory" : key));
        if (key.isEmpty()) {
            bed.fill();
        } else {
            bed.redis.texts().eval(ASIDE, ScriptOutputType.STATUS, new String[] {key});
            exchanges.breaks(key);
        }
        for (int i = 0; i < 5; i++) {
            switch (random.below(4)) {
                case 0 -> beat();
                case 1 -> reap();
                default -> exchanges.make(random.any(workers));
            }
        }
        bed.drain();
        if (exchanges.isMended(key)) {
            bed.redis.texts().eval(BACK, ScriptOutputType.STATUS, new String[] {key});
        }
    }

    /** All processes die; a new one recovers and runs the remaining jobs. */
    void finish() {
        workers.forEach(worker -> bed.redis.texts().zadd("jobs:beats", -1, worker.id));
        bed.leases().givenUp().forEach(victim -> bed.leases().reap(victim).poisoned().stream()
                .filter(Poisoned::discarded)
                .forEach(job -> expected.isGone(text(job.payload()))));
        promote();
        Worker last = newWorker();
        List<Claimed> claimed = last.take(JobClaims.BATCH, "mail", "low", "high");
        while (!claimed.isEmpty()) {
            List<Settlement> acks =
                    claimed.stream().map(job -> Settlement.done(job.token())).toList();
            claimed.forEach(job -> expected.account(acks.get(0), text(job.payload())));
            claimed = last.exchange(0, JobClaims.BATCH, 1, QUEUES, acks).claimed();
        }
        assertThat(last.leases.leave(last.id)).isZero();
        expected.check();
        bed.members("dead").forEach(expected::isGone);
        expected.checkThatNothingIsLeft();
        assertThat(bed.stored().keySet()).noneMatch(key -> key.startsWith("jobs:in:") || key.equals("jobs:beats"));
    }
}
