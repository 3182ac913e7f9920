package dev.jobs.unique;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.admin.ScanBudget;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.proof.LongTest;
import dev.jobs.store.Check;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobPushes;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Unique jobs that are pushed, run, retried, deleted and revived at random, by workers that die. */
class LockStormIT extends LockStorm {

    /** Of the walk of each build, and of that of the proof. */
    private static final int STEPS = 700;

    private static final int LONG_STEPS = 20_000;
    private static final int KEYS = 200;
    private static final ScanBudget ALL = new ScanBudget(10_000, Duration.ofSeconds(10));

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private int stored;
    private int duplicates;

    LockStormIT() {
        super(bed, 11, 3);
    }

    private Payload job() {
        boolean untilStart = random.nextInt(5) == 0;
        return Payload.of(Map.of(
                "class",
                "A",
                "jid",
                "j" + jobs++,
                "unique_lock",
                (untilStart ? "s" : "k") + random.nextInt(KEYS),
                "unique_for",
                86_400,
                "unique_until",
                untilStart ? "start" : "success"));
    }

    private void push() {
        List<Payload> some =
                random.ints(1 + random.nextInt(4)).mapToObj(i -> job()).toList();
        List<List<Check>> checks =
                some.stream().map(job -> locks.checks(job, () -> Instant.EPOCH)).toList();
        List<byte[]> payloads = some.stream().map(Payload::bytes).toList();
        JobPushes.Sent sent = random.nextInt(4) > 0
                ? pushes.sendPush(QUEUE, payloads, checks)
                : pushes.sendSchedule(
                        payloads.stream()
                                .map(payload -> new JobPushes.Due("4e9", payload))
                                .toList(),
                        checks);
        int refused = sent.await().refused().size();
        duplicates += refused;
        stored += some.size() - refused;
    }

    private void work(Living process) {
        List<Settlement> ended = new ArrayList<>();
        process.held().removeIf(claimed -> {
            boolean ends = random.nextInt(3) > 0;
            if (ends) {
                ended.add(end(claimed).with(effects.of(claimed.payload())));
            }
            return ends;
        });
        if (ended.size() > 1 && random.nextInt(10) == 0) {
            ended.add(ended.get(0)); // comes too late
        }
        process.worker().exchange(0, 5, 1, List.of(QUEUE), ended).claimed().forEach(claimed -> {
            locks.begin(process.worker().id, claimed.token(), Payload.parse(claimed.payload()));
            process.held().add(claimed);
        });
        if (random.nextInt(10) == 0) {
            process.worker().repeat(process.worker().last());
        }
    }

    private Settlement end(Claimed claimed) {
        return switch (random.nextInt(12)) {
            case 0 -> Settlement.failed(claimed.token());
            case 1 -> Settlement.discarded(claimed.token());
            case 2 -> Settlement.skipped(claimed.token());
            case 3 -> Settlement.dead(claimed.token(), claimed.payload(), true);
            case 4 -> Settlement.retried(claimed.token(), Duration.ofDays(1), claimed.payload());
            case 5 -> Settlement.postponed(claimed.token(), Duration.ofDays(1), claimed.payload());
            case 6 -> Settlement.handedBack(claimed.token(), QUEUE, true);
            case 7 -> Settlement.interrupted(claimed.token(), QUEUE, claimed.payload());
            default -> Settlement.done(claimed.token());
        };
    }

    private void move() {
        StoredSet from = StoredSet.values()[random.nextInt(StoredSet.values().length)];
        List<Entry> some = sets.lowest(from, 0, 1 + random.nextInt(5));
        sets.move(
                from,
                some.stream()
                        .map(Entry::payload)
                        .map(payload -> switch (random.nextInt(5)) {
                            case 0 -> sets.delete(payload);
                            case 1 -> sets.refuse(payload);
                            case 2 ->
                                from == StoredSet.DEAD
                                        ? sets.toQueue(payload, QUEUE, payload)
                                        : sets.toDead(payload, payload);
                            default -> sets.toQueue(payload, QUEUE, payload);
                        })
                        .toList());
    }

    private void clear() {
        locks.noteUse();
        bed.clearing(effects).clear(QUEUE);
    }

    private Set<String> holders() {
        Set<String> holders = new HashSet<>();
        for (HeldLock held : locks.all(ALL).items()) {
            assertThat(holders.add(held.holder())).as("a job holds one lock").isTrue();
        }
        return holders;
    }

    @Test
    void noLockIsLeftWithoutAPendingJob() {
        walk(STEPS);
    }

    @LongTest
    @Test
    void noLockIsLeftWithoutAPendingJobInALongWalk() {
        walk(LONG_STEPS);
    }

    private void walk(int steps) {
        bed.clear();
        for (int step = 0; step < steps; step++) {
            staff();
            int dice = random.nextInt(1_000);
            if (dice < 400) {
                push();
            } else if (dice < 850) {
                work(someone());
            } else if (dice < 960) {
                move();
            } else if (dice < 980) {
                kill(someone());
            } else if (dice < 997) {
                if (!dead.isEmpty()) {
                    reap(dead.get(random.nextInt(dead.size())));
                }
            } else {
                clear();
            }
            if (step % 100 == 0) {
                assertThat(pending())
                        .extracting(Payload::jid)
                        .as("step " + step)
                        .containsAll(holders());
            }
        }
        assertThat(stored).isGreaterThan(steps / 4);
        assertThat(duplicates).isGreaterThan(steps / 10);
        assertThat(births).isGreaterThan(steps / 200);

        List.copyOf(dead).forEach(this::reap);
        living.forEach(this::endAll);
        clear();
        for (StoredSet set : StoredSet.values()) {
            List<Entry> all = sets.lowest(set, 0, 100_000);
            all.forEach(entry -> sets.move(set, List.of(sets.delete(entry.payload()))));
        }
        assertThat(pending()).isEmpty();
        assertThat(bed.redis.texts().keys("unique:*")).isEmpty();
    }

    private void endAll(Living process) {
        process.worker()
                .settle(process.held().stream()
                        .map(claimed -> Settlement.done(claimed.token()).with(effects.of(claimed.payload())))
                        .toArray(Settlement[]::new));
    }
}
