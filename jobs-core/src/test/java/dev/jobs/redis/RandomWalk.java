package dev.jobs.redis;

import static dev.jobs.redis.ScriptTestBed.bytes;
import static dev.jobs.redis.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.Claims.Claimed;
import dev.jobs.redis.Claims.Reply;
import dev.jobs.redis.Claims.Status;
import dev.jobs.redis.JobSets.Entry;
import dev.jobs.redis.JobSets.JobSet;
import dev.jobs.redis.JobSets.Move;
import dev.jobs.redis.Leases.Alive;
import dev.jobs.redis.Leases.Buried;
import dev.jobs.redis.Leases.Reaped;
import dev.jobs.redis.Settlement.What;
import dev.jobs.redis.Worker.Call;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;

/**
 * Everything that processes, pollers, reapers and people do to jobs, in any order, late and repeated. It foretells what each step answers,
 * and knows which jobs there are.
 */
final class RandomWalk {

    private static final List<String> QUEUES = List.of("mail", "low", "high");
    private static final int PROCESSES = 3;
    private static final int LINES = 2;
    private static final String ASIDE =
            "if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], 'aside') end redis.call('SET', KEYS[1], 'text')";
    private static final String BACK =
            "redis.call('DEL', KEYS[1]) if redis.call('EXISTS', 'aside') == 1 then redis.call('RENAME', 'aside', KEYS[1]) end";

    private final ScriptTestBed bed;
    private final Random random;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Worker> zombies = new ArrayList<>();
    private final Map<String, List<Call>> calls = new HashMap<>();
    private final List<String> oldTokens = new ArrayList<>(List.of("0:0:1"));
    private final Set<String> all = new HashSet<>();
    private final Set<String> gone = new HashSet<>();
    private final Set<String> broken = new HashSet<>();
    private final Deque<String> log = new ArrayDeque<>();
    private int lives;
    private long processed;
    private long failed;

    RandomWalk(ScriptTestBed bed, long seed) {
        this.bed = bed;
        this.random = new Random(seed);
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

    /** What happened last, for whoever has to find out why a walk went wrong. */
    String trace() {
        return String.join("\n", log);
    }

    private <T> T any(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    void step() {
        int roll = random.nextInt(100);
        if (roll < 20) {
            push();
        } else if (roll < 60) {
            perform(any(workers), null);
        } else if (roll < 70) {
            repeat(any(chance(70) || zombies.isEmpty() ? workers : zombies));
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
        String queue = any(QUEUES);
        int count = 1 + random.nextInt(3);
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = "j" + all.size();
            all.add(id);
            payloads.add(bytes("{\"jid\":\"" + id + "\",\"v\":0" + (chance(15) ? ",\"dead\":false}" : "}")));
        }
        log("push " + count + " to " + queue);
        new Pushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me" + all.size()).push(queue, payloads);
    }

    private static String id(String payload) {
        return payload.replaceFirst(".*\"jid\":\"(\\w+)\".*", "$1");
    }

    private static byte[] edited(String payload) {
        int version = Integer.parseInt(payload.replaceFirst(".*\"v\":(\\d+).*", "$1"));
        return bytes(payload.replaceFirst("\"v\":\\d+", "\"v\":" + (version + 1)));
    }

    /** The next exchange of a process, or a given one again, and whether it does what it should. */
    private void perform(Worker worker, Call repeated) {
        SortedMap<String, String> held = bed.inFlight(worker.id);
        Double beat = bed.redis.texts().zscore("jobs:beats", worker.id);
        boolean alive = beat != null && beat > 0;
        List<Settlement> settlements = repeated == null ? settlements(held) : repeated.settlements();
        List<String> queues = new ArrayList<>(QUEUES.subList(0, 1 + random.nextInt(QUEUES.size())));
        Collections.shuffle(queues, random);
        Reply reply = repeated == null
                ? worker.exchange(random.nextInt(LINES), random.nextInt(5), random.nextInt(2), queues, settlements)
                : worker.repeat(repeated);
        log(worker.id + " " + worker.last() + " -> " + reply.status() + " " + reply.moves() + " "
                + Worker.payloads(reply.claimed()));
        calls.computeIfAbsent(worker.id, none -> new ArrayList<>()).add(worker.last());

        assertThat(reply.status()).isEqualTo(alive ? Status.OK : Status.FENCED);
        int refusedAcks = 0;
        List<Integer> moves = new ArrayList<>();
        for (boolean acks : List.of(true, false)) {
            for (Settlement settlement : settlements) {
                if (settlement.isAck() == acks) {
                    int result = foretold(settlement, held.get(settlement.token()));
                    refusedAcks += acks ? 1 - result : 0;
                    if (!acks) {
                        moves.add(result);
                    }
                    if (result == 1) {
                        account(settlement, held.remove(settlement.token()));
                    }
                }
            }
        }
        assertThat(reply.refusedAcks()).isEqualTo(refusedAcks);
        assertThat(reply.moves()).isEqualTo(moves);
        assertThat(reply.claimed().size())
                .isLessThanOrEqualTo(alive ? worker.last().want() : 0);
        assertThat(reply.claimed().stream().filter(job -> job.recoveries() >= ScriptTestBed.SUSPICIOUS))
                .hasSizeLessThanOrEqualTo(worker.last().suspects());
        for (Claimed job : reply.claimed()) {
            held.put(job.token(), text(job.payload()));
            oldTokens.add(job.token());
        }
        assertThat(bed.inFlight(worker.id)).isEqualTo(held);
    }

    private int foretold(Settlement settlement, String payload) {
        String target =
                switch (settlement.what()) {
                    case ACK, DROP -> "";
                    case RETRY -> "retry";
                    case DEAD -> "dead";
                    case BACK, AGAIN -> "queue:" + settlement.where();
                };
        if (payload == null) {
            return 0;
        }
        return broken.contains(target) ? -1 : 1;
    }

    private void account(Settlement settlement, String payload) {
        processed += settlement.processed();
        failed += settlement.failed();
        if (settlement.isAck() || settlement.what() == What.DROP) {
            gone.add(id(payload));
        }
    }

    private List<Settlement> settlements(SortedMap<String, String> held) {
        List<Settlement> settlements = new ArrayList<>();
        List<String> tokens = new ArrayList<>(held.keySet());
        int count = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            String token = tokens.isEmpty() || chance(15) ? any(oldTokens) : any(tokens);
            byte[] changed = held.containsKey(token) ? edited(held.get(token)) : bytes("nobody's");
            settlements.add(
                    switch (random.nextInt(8)) {
                        case 0, 1 -> Settlement.ack(token);
                        case 2 -> Settlement.drop(token);
                        case 3 -> Settlement.retry(token, Duration.ZERO, changed);
                        case 4 -> Settlement.dead(token, changed, chance(80));
                        case 5, 6 -> Settlement.back(token, any(QUEUES), chance(50));
                        default -> Settlement.again(token, any(QUEUES), changed);
                    });
        }
        return settlements;
    }

    /** An exchange that was made before: the last one, an older one, or one of a process that is no more. */
    private void repeat(Worker worker) {
        List<Call> made = calls.getOrDefault(worker.id, List.of());
        if (made.isEmpty()) {
            return;
        }
        Call call = chance(60) ? made.get(made.size() - 1) : any(made);
        String recorded = bed.redis.texts().hget("jobs:in:" + worker.id, "#" + call.line());
        long last = recorded == null ? 0 : Long.parseLong(recorded.split(" ")[0]);
        if (call.number() > last) {
            perform(worker, call); // left no trace, so it is as good as new
            return;
        }
        SortedMap<String, Object> before = bed.stored();
        Reply reply = worker.repeat(call);
        log(worker.id + " again " + call + " -> " + reply.status());
        assertThat(reply.status()).isEqualTo(call.number() < last ? Status.STALE : Status.REPLAY);
        SortedMap<String, String> held = bed.inFlight(worker.id);
        for (Claimed job : reply.claimed()) {
            assertThat(text(job.payload())).isEqualTo(held.get(job.token()));
        }
        assertThat(bed.stored()).isEqualTo(before);
    }

    private void beat() {
        if (chance(50)) {
            bed.letARoundBeDue();
        }
        Worker worker = any(workers);
        log("beat " + worker.id);
        if (!(worker.beat() instanceof Alive alive)) {
            renew(worker);
        } else {
            assertThat(alive.held()).isEqualTo(bed.inFlight(worker.id).size());
        }
    }

    /** The process goes on under a new identity; the old one still says something now and then. */
    private void renew(Worker worker) {
        zombies.add(worker);
        if (zombies.size() > 5) {
            zombies.remove(0);
        }
        workers.set(workers.indexOf(worker), newWorker());
    }

    /** Nobody hears of a process for so long that it is given up; it does not know that yet. */
    private void freeze() {
        Worker frozen = any(workers);
        log("freeze " + frozen.id);
        for (int i = 0; i <= ScriptTestBed.TIMING.misses() + 1; i++) {
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

    /** What a process sends that does not know yet that it was given up. */
    private void late() {
        if (!zombies.isEmpty()) {
            perform(any(zombies), null);
        }
    }

    private void reap() {
        List<String> victims = new ArrayList<>(bed.leases().givenUp());
        victims.add(any(workers).id); // whom a reaper may have in mind for other reasons
        String victim = any(victims);
        Double beat = bed.redis.texts().zscore("jobs:beats", victim);
        SortedMap<String, String> held = bed.inFlight(victim);
        Reaped reaped = bed.leases().reap(victim);
        log("reap " + victim + " -> " + reaped);
        if (beat == null || beat > 0) {
            assertThat(reaped.requeued() + reaped.buried().size()).isZero();
            assertThat(bed.inFlight(victim)).isEqualTo(held);
            return;
        }
        assertThat(reaped.requeued() + reaped.buried().size() + reaped.left()).isEqualTo(held.size());
        assertThat(reaped.finished()).isEqualTo(reaped.left() == 0);
        assertThat(reaped.left() == 0 || !broken.isEmpty()).isTrue();
        for (Buried job : reaped.buried()) {
            if (job.discarded()) {
                gone.add(id(text(job.payload())));
            }
        }
    }

    private void leave() {
        Worker worker = any(workers);
        int held = bed.inFlight(worker.id).size();
        log("leave " + worker.id + " with " + held);
        assertThat(worker.leases.leave(worker.id)).isEqualTo(held);
        assertThat(worker.leases.leave(worker.id)).isEqualTo(held);
        renew(worker);
    }

    /** The index of the living loses a process, as by an eviction or by hand, and the sweep finds its jobs. */
    private void forget() {
        Worker worker = any(workers);
        log("forget " + worker.id);
        bed.redis.texts().zrem("jobs:beats", worker.id);
        bed.leases().condemnUnknown();
        renew(worker);
    }

    private void promote() {
        JobSets sets = bed.sets();
        List<Entry> due = new ArrayList<>(sets.due(100).retries());
        List<Move> moves = due.stream()
                .map(entry -> chance(90)
                        ? sets.toQueue(entry.payload(), any(QUEUES), edited(text(entry.payload())))
                        : sets.toDead(entry.payload(), entry.payload()))
                .toList();
        log("promote " + moves.size());
        if (!moves.isEmpty()) {
            assertThat(sets.move(JobSet.RETRY, moves)).containsOnly(1);
            assertThat(sets.move(JobSet.RETRY, moves)).containsOnly(0);
        }
    }

    /** What people do with a queue or the dead set. */
    private void byHand() {
        JobSets sets = bed.sets();
        String queue = any(QUEUES);
        List<String> jobs = chance(50) ? bed.members("dead") : bed.queue(queue);
        if (jobs.isEmpty()) {
            return;
        }
        byte[] job = bytes(any(jobs));
        log("by hand " + text(job));
        if (bed.members("dead").contains(text(job))) {
            assertThat(sets.move(JobSet.DEAD, List.of(sets.toQueue(job, queue, edited(text(job))))))
                    .containsExactly(1);
        } else if (chance(20)) {
            assertThat(new JobQueues(bed.connection, bed.keys).delete(queue, job))
                    .isTrue();
            gone.add(id(text(job)));
        } else {
            assertThat(sets.moveFromQueue(queue, List.of(sets.toDead(job, job))))
                    .containsExactly(1);
        }
    }

    /** Some steps at a full Redis, or while a key holds something else than it should. */
    private void trouble() {
        String key = chance(30) ? "" : any(List.of("retry", "dead", "queue:mail", "queue:low"));
        log("trouble with " + (key.isEmpty() ? "memory" : key));
        if (key.isEmpty()) {
            bed.fill();
        } else {
            bed.redis.texts().eval(ASIDE, ScriptOutputType.STATUS, new String[] {key});
            broken.add(key);
        }
        for (int i = 0; i < 5; i++) {
            switch (random.nextInt(4)) {
                case 0 -> beat();
                case 1 -> reap();
                default -> perform(any(workers), null);
            }
        }
        bed.drain();
        if (broken.remove(key)) {
            bed.redis.texts().eval(BACK, ScriptOutputType.STATUS, new String[] {key});
        }
    }

    /** Every job is in exactly one place, or nowhere if it is done; the books balance; executions are counted once. */
    void check() {
        SortedMap<String, Object> stored = bed.stored();
        Map<String, List<String>> places = new HashMap<>();
        Scene.places(stored).forEach((job, in) -> places.computeIfAbsent(id(job), one -> new ArrayList<>())
                .addAll(in));
        Set<String> expected = new HashSet<>(all);
        expected.removeAll(gone);
        assertThat(places.keySet()).isEqualTo(expected);
        assertThat(places.values()).allSatisfy(in -> assertThat(in).hasSize(1));
        assertThat(bed.books().conservationError()).isZero();
        assertThat(stored.getOrDefault("stat:processed", "0")).isEqualTo(Long.toString(processed));
        assertThat(stored.getOrDefault("stat:failed", "0")).isEqualTo(Long.toString(failed));
    }

    /** Everybody dies; one process recovers and works off what is left. */
    void finish() {
        workers.forEach(worker -> bed.redis.texts().zadd("jobs:beats", -1, worker.id));
        bed.leases().givenUp().forEach(victim -> bed.leases().reap(victim).buried().stream()
                .filter(Buried::discarded)
                .forEach(job -> gone.add(id(text(job.payload())))));
        promote();
        Worker last = newWorker();
        List<Claimed> claimed = last.take(Claims.BATCH, "mail", "low", "high");
        while (!claimed.isEmpty()) {
            List<Settlement> acks =
                    claimed.stream().map(job -> Settlement.ack(job.token())).toList();
            claimed.forEach(job -> account(acks.get(0), text(job.payload())));
            claimed = last.exchange(0, Claims.BATCH, 1, QUEUES, acks).claimed();
        }
        assertThat(last.leases.leave(last.id)).isZero();
        check();
        bed.members("dead").forEach(job -> gone.add(id(job)));
        assertThat(gone).isEqualTo(all);
        assertThat(bed.stored().keySet()).noneMatch(key -> key.startsWith("jobs:in:") || key.equals("jobs:beats"));
    }
}
