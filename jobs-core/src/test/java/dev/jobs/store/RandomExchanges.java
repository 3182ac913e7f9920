package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import dev.jobs.store.Worker.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Random exchanges of processes, made and repeated, each checked against its expected answer. */
final class RandomExchanges {

    static final List<String> QUEUES = List.of("mail", "low", "high");
    private static final int LINES = 2;

    private final ScriptTestBed bed;
    private final SeededRandom random;
    private final ExpectedJobs expected;
    private final Consumer<String> log;
    private final Map<String, List<Call>> calls = new HashMap<>();
    private final List<String> oldTokens = new ArrayList<>(List.of("0:0:1"));
    private final Set<String> broken = new HashSet<>();

    RandomExchanges(ScriptTestBed bed, SeededRandom random, ExpectedJobs expected, Consumer<String> log) {
        this.bed = bed;
        this.random = random;
        this.expected = expected;
        this.log = log;
    }

    /** From now on this key has the wrong type. */
    void breaks(String key) {
        broken.add(key);
    }

    /** Reverts {@link #breaks}; false if the key was not broken. */
    boolean isMended(String key) {
        return broken.remove(key);
    }

    boolean isTroubled() {
        return !broken.isEmpty();
    }

    /** The next exchange of a process, with some valid and invalid settlements, which claims some jobs. */
    void make(Worker worker) {
        perform(worker, null);
    }

    /** Makes the next exchange of a process, or repeats a given one, and checks its effect. */
    private void perform(Worker worker, Call repeated) {
        SortedMap<String, String> held = bed.inFlight(worker.id);
        Double beat = bed.redis.texts().zscore("jobs:beats", worker.id);
        boolean alive = beat != null && beat > 0;
        List<Settlement> settlements = repeated == null ? settlements(held) : repeated.settlements();
        List<String> queues = new ArrayList<>(QUEUES.subList(0, 1 + random.below(QUEUES.size())));
        Collections.shuffle(queues, random.random());
        Reply reply = repeated == null
                ? worker.exchange(random.below(LINES), random.below(5), random.below(2), queues, settlements)
                : worker.repeat(repeated);
        log.accept(worker.id + " " + worker.last() + " -> " + reply.status() + " " + reply.moves() + " "
                + Worker.payloads(reply.claimed()));
        calls.computeIfAbsent(worker.id, none -> new ArrayList<>()).add(worker.last());

        assertThat(reply.status()).isEqualTo(alive ? Status.OK : Status.FENCED);
        int[] results = new int[settlements.size()];
        List<Predicate<Settlement>> inOrder = List.of(
                Settlement::isPlainAck,
                other -> !other.isPlainAck() && other.kind() == Settlement.Kind.DONE,
                other -> other.kind() != Settlement.Kind.DONE);
        for (Predicate<Settlement> some : inOrder) {
            for (int i = 0; i < results.length; i++) {
                Settlement settlement = settlements.get(i);
                if (some.test(settlement)) {
                    results[i] = expectedResult(settlement, held.get(settlement.token()));
                    if (results[i] == 1) {
                        expected.account(settlement, held.remove(settlement.token()));
                    }
                }
            }
        }
        int lateAcks = 0;
        List<Integer> moves = new ArrayList<>();
        for (int i = 0; i < results.length; i++) {
            if (settlements.get(i).isPlainAck()) {
                lateAcks += 1 - results[i];
            } else {
                moves.add(results[i]);
            }
        }
        assertThat(reply.lateAcks()).isEqualTo(lateAcks);
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

    private int expectedResult(Settlement settlement, String payload) {
        String target =
                switch (settlement.kind()) {
                    case DONE, DISCARDED, FAILED, SKIPPED -> "";
                    case RETRIED -> "retry";
                    case POSTPONED -> "schedule";
                    case DEAD -> "dead";
                    case HANDED_BACK, INTERRUPTED -> "queue:" + settlement.where();
                };
        if (payload == null) {
            return 0;
        }
        return broken.contains(target) ? -1 : 1;
    }

    private List<Settlement> settlements(SortedMap<String, String> held) {
        List<Settlement> settlements = new ArrayList<>();
        List<String> tokens = new ArrayList<>(held.keySet());
        int count = random.below(5);
        for (int i = 0; i < count; i++) {
            String token = tokens.isEmpty() || random.chance(15) ? random.any(oldTokens) : random.any(tokens);
            byte[] changed = held.containsKey(token) ? ExpectedJobs.edited(held.get(token)) : bytes("nobody's");
            Settlement settlement =
                    switch (random.below(10)) {
                        case 0, 1 -> Settlement.done(token);
                        case 2 -> Settlement.discarded(token);
                        case 3 -> Settlement.retried(token, Duration.ZERO, changed);
                        case 4 -> Settlement.dead(token, changed, random.chance(80));
                        case 5 -> bed.end(token, "jid");
                        case 6, 7 -> Settlement.handedBack(token, random.any(QUEUES), random.chance(50));
                        case 8 -> Settlement.postponed(token, Duration.ZERO, changed);
                        default -> Settlement.interrupted(token, random.any(QUEUES), changed);
                    };
            boolean counted = settlement.effects().isEmpty() && random.chance(50);
            settlements.add(counted ? settlement.with(List.of(ScriptTestBed.count("settled"))) : settlement);
        }
        return settlements;
    }

    /** The same call, repeated only to learn its result. */
    private static Call wantingNothing(Call call) {
        return new Call(call.line(), call.number(), 0, 0, List.of(), call.settlements());
    }

    /** Repeats an exchange: the last one, an older one, or one of a process that no longer exists. */
    void repeat(Worker worker) {
        List<Call> made = calls.getOrDefault(worker.id, List.of());
        if (made.isEmpty()) {
            return;
        }
        Call original = random.chance(60) ? made.get(made.size() - 1) : random.any(made);
        Call call = random.chance(75) ? original : wantingNothing(original);
        String recorded = bed.redis.texts().hget("jobs:in:" + worker.id, "#" + call.line());
        long last = recorded == null ? 0 : Long.parseLong(recorded.split("[ \n]")[0]);
        if (call.number() > last) {
            perform(worker, call); // it had no effect, so it counts as new
            return;
        }
        SortedMap<String, Object> before = bed.stored();
        Reply reply = worker.repeat(call);
        log.accept(worker.id + " again " + call + " -> " + reply.status());
        assertThat(reply.status()).isEqualTo(call.number() < last ? Status.STALE : Status.REPLAY);
        SortedMap<String, String> held = bed.inFlight(worker.id);
        for (Claimed job : reply.claimed()) {
            assertThat(text(job.payload())).isEqualTo(held.get(job.token()));
        }
        assertThat(bed.stored()).isEqualTo(before);
    }
}
