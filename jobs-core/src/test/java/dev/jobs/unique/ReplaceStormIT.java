package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.proof.LongTest;
import dev.jobs.store.Check;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Jobs that replace each other, and debounced ones, while workers die and due jobs are promoted at random. */
class ReplaceStormIT extends LockStorm {

    /** Of the walk of each build, and of that of the proof. */
    private static final int STEPS = 800;

    private static final int LONG_STEPS = 15_000;
    private static final int KEYS = 50;

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private int refused;
    private int skipped;

    /** The newest accepted job of each key, until it has begun. */
    private final Map<String, String> newest = new HashMap<>();

    private final Set<String> begun = new HashSet<>();
    private final Set<String> ended = new HashSet<>();

    ReplaceStormIT() {
        super(bed, 12, 1_000);
    }

    private Payload job() {
        int dice = random.nextInt(3);
        String key = "k" + random.nextInt(KEYS);
        Map<String, Object> members = new HashMap<>(Map.of("class", "A", "jid", "j" + jobs++));
        if (dice == 0) {
            members.putAll(Map.of("debounce", "d" + key, "debounce_pause", 600, "debounce_at_most", 3_600));
        } else {
            members.putAll(Map.of("unique_lock", "u" + dice + key, "unique_for", 86_400));
            members.putAll(Map.of("unique_conflict", "replace", "unique_until", dice == 1 ? "success" : "start"));
        }
        return Payload.of(members);
    }

    private static String key(Payload job) {
        return Objects.requireNonNullElse(job.text("unique_lock"), "")
                + Objects.requireNonNullElse(job.text("debounce"), "");
    }

    private void push() {
        Payload job = job();
        List<List<Check>> checks = List.of(locks.checks(job, () -> Instant.EPOCH));
        boolean scheduled = job.has("debounce") || random.nextInt(3) == 0;
        PushAnswers answers = (scheduled
                        ? pushes.sendSchedule(List.of(new JobPushes.Due("4e9", job.bytes())), checks)
                        : pushes.sendPush(QUEUE, List.of(job.bytes()), checks))
                .await();
        if (answers.isStored(0)) {
            newest.put(key(job), String.valueOf(job.jid()));
        } else {
            refused++;
            String holder = answers.refused().get(0).substring("locked:".length());
            assertThat(begun).as("only a job that has begun is not replaced").contains(holder);
        }
    }

    private void work(Living process) {
        List<Settlement> settlements = new ArrayList<>();
        process.held().removeIf(claimed -> {
            boolean ends = random.nextInt(3) > 0;
            if (ends) {
                settlements.add(end(claimed).with(effects.of(claimed.payload())));
            }
            return ends;
        });
        process.worker()
                .exchange(0, 5, 1, List.of(QUEUE), settlements)
                .claimed()
                .forEach(claimed -> {
                    Payload job = Payload.parse(claimed.payload());
                    if (random.nextInt(4) == 0) { // not yet begun
                        process.held().add(claimed);
                    } else if (locks.begin(process.worker().id, claimed.token(), job)) {
                        begun.add(job.jid());
                        newest.remove(key(job), job.jid());
                        process.held().add(claimed);
                    } else {
                        skipped++;
                        assertThat(newest.get(key(job)))
                                .as("only an older job is not run")
                                .isNotEqualTo(job.jid());
                        process.worker()
                                .settle(Settlement.skipped(claimed.token()).with(effects.of(claimed.payload())));
                    }
                });
    }

    private Settlement end(Claimed claimed) {
        String jid = String.valueOf(Payload.parse(claimed.payload()).jid());
        if (!begun.contains(jid)) {
            return Settlement.handedBack(claimed.token(), QUEUE, true);
        }
        return switch (random.nextInt(8)) {
            case 0 -> Settlement.retried(claimed.token(), Duration.ofDays(1), claimed.payload());
            case 1 -> Settlement.postponed(claimed.token(), Duration.ofDays(1), claimed.payload());
            case 2 -> Settlement.handedBack(claimed.token(), QUEUE, true);
            case 3 -> Settlement.interrupted(claimed.token(), QUEUE, claimed.payload());
            default -> {
                ended.add(jid);
                yield Settlement.done(claimed.token());
            }
        };
    }

    private void promote() {
        StoredSet from = random.nextBoolean() ? StoredSet.SCHEDULE : StoredSet.RETRY;
        List<Entry> some = sets.lowest(from, 0, 1 + random.nextInt(5));
        sets.move(
                from,
                some.stream()
                        .map(Entry::payload)
                        .map(payload -> sets.toQueue(
                                payload,
                                QUEUE,
                                Payload.parse(payload)
                                        .with("n", random.nextInt())
                                        .bytes()))
                        .toList());
    }

    private void check(String when) {
        Map<String, String> ofKey = new HashMap<>();
        Set<String> all = new HashSet<>();
        for (Payload job : pending()) {
            String jid = String.valueOf(job.jid());
            assertThat(all.add(jid)).as(when + ": " + jid + " is in one place").isTrue();
            boolean replaced = bed.redis.texts().hexists("jobs:twin:" + key(job), "-" + jid);
            if (!replaced && "success".equals(job.text("unique_until"))) {
                assertThat(ofKey.put(key(job), jid))
                        .as(when + ": one job of " + key(job))
                        .isNull();
                assertThat(bed.redis.texts().get("unique:" + key(job))).isEqualTo(jid);
            }
        }
        assertThat(all)
                .as(when + ": the newest job of a key waits until it begins")
                .containsAll(newest.values());
        Map<String, Integer> scheduled = new HashMap<>();
        bed.members("schedule").forEach(stored -> {
            Payload job = Payload.parse(stored.getBytes(UTF_8));
            if (!begun.contains(job.jid())) {
                scheduled.merge(key(job), 1, Integer::sum);
            }
        });
        assertThat(scheduled.values()).as(when + ": one scheduled job of a key").allMatch(count -> count == 1);
    }

    @Test
    void theNewestJobOfAKeyWaitsAndNoOtherThatHasNotBegun() {
        walk(STEPS, 4);
    }

    @LongTest
    @Test
    void theNewestJobOfAKeyWaitsInALongWalk() {
        walk(LONG_STEPS, 100);
    }

    /** @param least as many jobs have to be refused and replaced: until then the walk goes on, up to ten times as far */
    private void walk(int steps, int least) {
        bed.clear();
        for (int step = 0; step < steps || Math.min(refused, skipped) < least && step < 10 * steps; step++) {
            staff();
            int dice = random.nextInt(1_000);
            if (dice < 400) {
                push();
            } else if (dice < 800) {
                work(someone());
            } else if (dice < 960) {
                promote();
            } else if (dice < 980) {
                kill(someone());
            } else if (!dead.isEmpty()) {
                reap(dead.get(random.nextInt(dead.size())));
            }
            if (step % 50 == 0) {
                check("step " + step);
            }
        }
        assertThat(refused).isGreaterThanOrEqualTo(least);
        assertThat(skipped).isGreaterThanOrEqualTo(least);

        List.copyOf(dead).forEach(this::reap);
        for (int i = 0; i < 100_000 && !pending().isEmpty(); i++) {
            work(someone());
            promote();
        }
        assertThat(pending()).isEmpty();
        assertThat(newest).isEmpty();
        assertThat(bed.redis.texts().keys("unique:*")).isEmpty();
        assertThat(bed.redis.texts().keys("jobs:twin:*")).isEmpty();
    }
}
