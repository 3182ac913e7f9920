package dev.jobs.lists;

import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.jobs.lists.JobSets.Due;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.StoredSet;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Reading due jobs, and moving jobs between sets and queues. */
class MoveIT {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final JobSets sets = bed.sets();

    private static List<String> payloads(List<Entry> entries) {
        return entries.stream().map(entry -> text(entry.payload())).toList();
    }

    @Test
    void readsWhatIsDueByTheServersClock() {
        double now = bed.now();
        bed.redis.texts().zadd("retry", now - 1, "r1");
        bed.redis.texts().zadd("retry", now + 500, "r2");
        bed.redis.texts().zadd("schedule", Double.NEGATIVE_INFINITY, "first");
        bed.redis.texts().zadd("schedule", -5.5, "negative");
        bed.redis.texts().zadd("schedule", 0, "zero");
        bed.redis.texts().zadd("schedule", now + 1_000, "s2");
        bed.redis.texts().zadd("schedule", Double.POSITIVE_INFINITY, "never");

        Due due = sets.due(10);

        assertThat(payloads(due.retries())).containsExactly("r1");
        assertThat(payloads(due.scheduled())).containsExactly("first", "negative", "zero");
        assertThat(due.scheduled()).extracting(Entry::score).containsExactly(Double.NEGATIVE_INFINITY, -5.5, 0.0);
        assertThat(due.next()).isCloseTo(now + 500, within(1e-3));
        assertThat(due.serverTime().getEpochSecond() + due.serverTime().getNano() / 1e9)
                .isBetween(now - 1e-3, bed.now() + 1e-3);
    }

    @Test
    void findsNothingDueInEmptySets() {
        assertThat(sets.due(10)).satisfies(due -> {
            assertThat(due.retries()).isEmpty();
            assertThat(due.scheduled()).isEmpty();
            assertThat(due.next()).isEqualTo(Double.POSITIVE_INFINITY);
        });
        bed.redis.texts().zadd("schedule", Double.POSITIVE_INFINITY, "never");
        assertThat(sets.due(10).next()).isEqualTo(Double.POSITIVE_INFINITY);
        bed.redis.texts().zadd("schedule", 9.9e12, "in the year 300000");
        assertThat(sets.due(10).next()).isEqualTo(9.9e12);
    }

    @Test
    @Tag("sidekiq-8")
    void promotesThousandsOfJobsInHundreds() {
        for (int from = 0; from < 5_000; from += 1_000) {
            Object[] members = IntStream.range(from, from + 1_000)
                    .boxed()
                    .<Object>mapMulti((i, all) -> {
                        all.accept((double) i);
                        all.accept("job" + i);
                    })
                    .toArray();
            bed.redis.texts().zadd("schedule", members);
        }
        int promoted = 0;
        for (Due due = sets.due(100); !due.scheduled().isEmpty(); due = sets.due(100)) {
            List<Move> moves = due.scheduled().stream()
                    .map(entry -> sets.toQueue(entry.payload(), "mail", entry.payload()))
                    .toList();
            assertThat(sets.move(StoredSet.SCHEDULE, moves)).hasSize(100).containsOnly(1);
            assertThat(sets.move(StoredSet.SCHEDULE, moves)).hasSize(100).containsOnly(0);
            promoted += moves.size();
        }
        assertThat(promoted).isEqualTo(5_000);
        assertThat(bed.queue("mail")).hasSize(5_000).doesNotHaveDuplicates().startsWith("job0", "job1", "job2");
        assertThat(bed.redis.texts().exists("schedule")).isZero();
    }

    @Test
    @Tag("sidekiq-0.6")
    @Tag("sidekiq-0.7")
    @Tag("sidekiq-8")
    void putsAJobToTheBackOfItsQueueAndMakesTheQueueKnown() {
        bed.push("mail", "waiting");
        bed.redis.texts().zadd("schedule", 1, "old");

        assertThat(sets.move(StoredSet.SCHEDULE, List.of(sets.toQueue(bytes("old"), "mail", bytes("new")))))
                .containsExactly(1);

        assertThat(bed.stored())
                .isEqualTo(Map.of("queue:mail", List.of("new", "waiting"), "queues", java.util.Set.of("mail")));
    }

    @Test
    void doesNothingForAJobThatIsGone() {
        bed.redis.texts().zadd("retry", 5, "other");
        SortedMap<String, Object> before = bed.stored();

        assertThat(sets.move(
                        StoredSet.RETRY,
                        List.of(
                                sets.toQueue(bytes("gone"), "mail", bytes("x")),
                                sets.toDead(bytes("gone"), bytes("x")),
                                sets.toSet(bytes("gone"), StoredSet.SCHEDULE, Instant.EPOCH, bytes("x")),
                                sets.refuse(bytes("gone")))))
                .containsExactly(0, 0, 0, 0);
        assertThat(bed.stored()).isEqualTo(before);
        assertThat(sets.moveFromQueue("none", List.of(sets.toDead(bytes("gone"), bytes("x")))))
                .containsExactly(0);
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void movesEachJobOfABatchForItself() {
        for (String job : List.of("a", "b", "c", "d", "e")) {
            bed.redis.texts().zadd("retry", 5, job);
        }
        bed.redis.texts().set("queue:broken", "text");
        double before = bed.now();

        assertThat(sets.move(
                        StoredSet.RETRY,
                        List.of(
                                sets.toQueue(bytes("a"), "low", bytes("A")),
                                sets.toQueue(bytes("b"), "broken", bytes("B")),
                                sets.toSet(
                                        bytes("c"),
                                        StoredSet.SCHEDULE,
                                        Instant.ofEpochSecond(77, 123_456_789),
                                        bytes("C")),
                                sets.toSet(bytes("d"), StoredSet.RETRY, Duration.ofMillis(5_250), bytes("d")),
                                sets.toDead(bytes("e"), bytes("E")),
                                sets.delete(bytes("a")))))
                .containsExactly(1, -1, 1, 1, 1, 0);

        assertThat(bed.queue("low")).containsExactly("A");
        assertThat(bed.members("retry")).containsExactly("b", "d");
        assertThat(bed.redis.texts().zscore("retry", "d")).isBetween(before + 5.25 - 1e-3, bed.now() + 5.25 + 1e-3);
        assertThat(bed.redis.texts().zscore("schedule", "C")).isEqualTo(77.123456);
        assertThat(bed.redis.texts().zscore("dead", "E")).isBetween(before - 1e-3, bed.now() + 1e-3);
    }

    @Test
    void movesJobsToSeveralQueuesInOrderAndEachOnce() {
        for (String job : List.of("a", "b", "c", "d")) {
            bed.redis.texts().zadd("schedule", 5, job);
        }
        bed.push("mail", "waiting");

        assertThat(sets.move(
                        StoredSet.SCHEDULE,
                        List.of(
                                sets.toQueue(bytes("a"), "mail", bytes("A")),
                                sets.toQueue(bytes("b"), "low", bytes("B")),
                                sets.toQueue(bytes("a"), "low", bytes("again")),
                                sets.toQueue(bytes("c"), "mail", bytes("C")))))
                .containsExactly(1, 1, 0, 1);

        assertThat(bed.stored())
                .isEqualTo(Map.of(
                        "queue:mail",
                        List.of("C", "A", "waiting"),
                        "queue:low",
                        List.of("B"),
                        "queues",
                        java.util.Set.of("low", "mail"),
                        "schedule",
                        Map.of("d", 5.0)));
    }

    @Test
    @Tag("sidekiq-31")
    void changesTheTimeOfAJobInItsSet() {
        bed.redis.texts().zadd("schedule", 5, "same");
        bed.redis.texts().zadd("schedule", 5, "old");

        assertThat(sets.move(
                        StoredSet.SCHEDULE,
                        List.of(
                                sets.toSet(bytes("same"), StoredSet.SCHEDULE, Instant.ofEpochSecond(9), bytes("same")),
                                sets.toSet(bytes("old"), StoredSet.SCHEDULE, Instant.ofEpochSecond(8), bytes("new")))))
                .containsExactly(1, 1);
        assertThat(bed.stored()).isEqualTo(Map.of("schedule", Map.of("same", 9.0, "new", 8.0)));
    }

    @Test
    void takesOneOfEqualJobsOutOfAQueue() {
        bed.push("mail", "a", "b", "a");

        assertThat(sets.moveFromQueue("mail", List.of(sets.toDead(bytes("a"), bytes("dead")))))
                .containsExactly(1);

        assertThat(bed.queue("mail")).containsExactly("b", "a");
        assertThat(bed.members("dead")).containsExactly("dead");
    }

    @Test
    void movesAJobToTheBackOfItsOwnQueue() {
        bed.push("mail", "a", "b");

        assertThat(sets.moveFromQueue("mail", List.of(sets.toQueue(bytes("a"), "mail", bytes("a")))))
                .containsExactly(1);
        assertThat(bed.queue("mail")).containsExactly("b", "a");
    }

    @Test
    void findsAJobInALongQueue() {
        String[] jobs = IntStream.range(0, 20_000).mapToObj(i -> "job" + i).toArray(String[]::new);
        bed.push("mail", jobs);

        assertThat(sets.moveFromQueue(
                        "mail",
                        List.of(
                                sets.toQueue(bytes("job0"), "low", bytes("job0")),
                                sets.toQueue(bytes("job10000"), "low", bytes("job10000")),
                                sets.toQueue(bytes("job19999"), "low", bytes("job19999")))))
                .containsExactly(1, 1, 1);
        assertThat(bed.redis.texts().llen("queue:mail")).isEqualTo(19_997);
        assertThat(bed.queue("low")).containsExactly("job0", "job10000", "job19999");
    }

    @Test
    @Tag("sidekiq-0.13")
    @Tag("sidekiq-12")
    void trimsTheDeadSet() {
        JobSets strict =
                new JobSets(bed.connection, bed.keys, new DeadSetBounds(3, Duration.ofHours(1)), EffectSource.NONE);
        bed.redis.texts().zadd("dead", bed.now() - 7_200, "expired");
        bed.redis.texts().zadd("dead", bed.now() - 60, "old");
        bed.redis.texts().zadd("dead", bed.now() - 30, "newer");
        bed.redis.texts().zadd("retry", 5, "a");

        strict.move(StoredSet.RETRY, List.of(strict.toDead(bytes("a"), bytes("a"))));

        assertThat(bed.members("dead")).containsExactly("newer", "a");
    }
}
