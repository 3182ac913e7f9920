package dev.jobs.trash;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.StoredSet;
import dev.jobs.trash.JobTrash.Bounds;
import dev.jobs.trash.JobTrash.Fate;
import dev.jobs.trash.JobTrash.Trashed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that are deleted, kept for a while and restored. */
class JobTrashIT {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final JobTrash trash = trash(new Bounds(100, 100_000, Duration.ofHours(1)));

    private static JobTrash trash(Bounds bounds) {
        return new JobTrash(
                bed.connection,
                bed.keys,
                bounds,
                stored -> List.of(
                        ScriptTestBed.count("deleted", "deleted"),
                        ScriptTestBed.count("restored", "queue"),
                        ScriptTestBed.count("restored", "set"),
                        ScriptTestBed.count("restored", "dead")));
    }

    private static Instant now() {
        return Instant.ofEpochMilli((long) (bed.now() * 1_000));
    }

    private static List<byte[]> none(int count) {
        return Collections.nCopies(count, new byte[0]);
    }

    @Test
    void keepsWhatAJobWasAndWhere() {
        bed.redis.texts().zadd("retry", 1700000000.25, "a");

        assertThat(trash.add(StoredSet.RETRY, List.of(bytes("a"), bytes("gone")), "batch-1")
                        .fates())
                .containsExactly(Fate.KEPT, Fate.GONE);

        Trashed trashed = trash.newest(now(), 0, 10).items().get(0);
        assertThat(trashed.stored()).isEqualTo(bytes("a"));
        assertThat(trashed.set()).isEqualTo(StoredSet.RETRY);
        assertThat(trashed.score()).isEqualTo("1700000000.25");
        assertThat(trashed.batch()).isEqualTo("batch-1");
        assertThat(trashed.deleted()).isBetween(bed.now() - 60, bed.now() + 1);
        assertThat(bed.redis.texts().exists("retry")).isZero();
        assertThat(bed.redis.texts().ttl("jobs:trash")).isBetween(3_500L, 3_600L);
        assertThat(bed.redis.texts().ttl("jobs:trash:bytes")).isBetween(3_500L, 3_600L);
    }

    @Test
    void givesAnyBytesBackAsTheyWere() {
        byte[] any = new byte[300];
        new Random(7).nextBytes(any);
        bed.redis.bytes().lpush(bed.keys.queue("a\u00e9 b"), any);

        trash.add("a\u00e9 b", List.of(any), List.of(any), "b", true);
        Trashed trashed = trash.newest(now(), 0, 10).items().get(0);

        assertThat(trashed.queue()).isEqualTo("a\u00e9 b");
        assertThat(trashed.before()).isEqualTo(any);
        assertThat(trash.restore(List.of(trashed))).containsExactly(1);
        assertThat(bed.redis.bytes().lrange(bed.keys.queue("a\u00e9 b"), 0, -1)).containsExactly(any);
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("a\u00e9 b");
    }

    @Test
    void leavesOutWhatSaysThatItIsLongerThanItIs() {
        for (String lengths :
                List.of("3 9", "9 0", "4 2", "2000000000 1", "1 2147483647", "2147483647 5", "-1 0", "3 -1")) {
            bed.redis.texts().zadd("jobs:trash", bed.now(), "1 b QUEUE " + lengths + " abcde");
        }
        bed.redis.texts().zadd("jobs:trash", bed.now(), "1 b QUEUE 3 1 abcde");

        assertThat(trash.newest(now(), 0, 20).items()).singleElement().satisfies(trashed -> {
            assertThat(trashed.queue()).isEqualTo("abc");
            assertThat(trashed.before()).isEqualTo(bytes("d"));
            assertThat(trashed.stored()).isEqualTo(bytes("e"));
        });
    }

    @Test
    void doesNothingTwice() {
        bed.redis.texts().zadd("dead", Double.POSITIVE_INFINITY, "a");
        trash.add(StoredSet.DEAD, List.of(bytes("a")), "b");

        assertThat(trash.add(StoredSet.DEAD, List.of(bytes("a")), "b").fates()).containsExactly(Fate.GONE);
        List<Trashed> trashed = trash.newest(now(), 0, 10).items();
        assertThat(trash.restore(trashed)).containsExactly(1);
        assertThat(trash.restore(trashed)).containsExactly(0);
        assertThat(bed.redis.texts().zscore("dead", "a")).isInfinite();
        assertThat(bed.redis.texts().get("jobs:trash:bytes")).isEqualTo("0");
    }

    @Test
    void putsAJobBehindTheOneThatCameBeforeIt() {
        bed.push("mail", "a", "b", "c", "d");
        trash.add("mail", List.of(bytes("c")), List.of(bytes("b")), "b", true);
        bed.push("mail", "e");

        trash.restore(trash.newest(now(), 0, 1).items());

        assertThat(bed.queue("mail")).containsExactly("a", "b", "c", "d", "e");
    }

    @Test
    void putsAJobToTheFrontWhenTheOneBeforeItIsGone() {
        bed.push("mail", "a", "b", "c");
        trash.add("mail", List.of(bytes("b")), List.of(bytes("a")), "b", true);
        bed.redis.texts().rpop("queue:mail");

        trash.restore(trash.newest(now(), 0, 1).items());

        assertThat(bed.queue("mail")).containsExactly("b", "c");
    }

    @Test
    void findsEqualJobsFromEitherEnd() {
        bed.push("mail", "a", "x", "a");

        trash.add("mail", List.of(bytes("a")), none(1), "b", false);
        assertThat(bed.queue("mail")).containsExactly("x", "a");
        bed.push("mail", "y", "a");
        trash.add("mail", List.of(bytes("a")), none(1), "b", true);
        assertThat(bed.queue("mail")).containsExactly("x", "a", "y");
        assertThat(trash.size(now())).isEqualTo(2);
    }

    @Test
    void isTrimmedToItsNumberOfJobsOldestFirst() {
        List<byte[]> jobs = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            bed.push("mail", "job " + i);
            jobs.add(bytes("job " + i));
        }

        List<Fate> fates = trash.add("mail", jobs, none(150), "b", false).fates();

        assertThat(fates).containsOnly(Fate.KEPT);
        assertThat(trash.size(now())).isEqualTo(100);
        assertThat(trash.newest(now(), 0, 1).items().get(0).stored()).isEqualTo(bytes("job 149"));
        assertThat(trash.newest(now(), 99, 1).items().get(0).stored()).isEqualTo(bytes("job 50"));
    }

    @Test
    void isTrimmedToItsSizeAndTakesNothingLarger() {
        JobTrash small = trash(new Bounds(100, 1_000, Duration.ofHours(1)));
        bed.push("mail", "x".repeat(400), "y".repeat(400), "z".repeat(400), "w".repeat(1_000));

        assertThat(small.add("mail", List.of(bytes("x".repeat(400)), bytes("y".repeat(400))), none(2), "b", false)
                        .fates())
                .containsExactly(Fate.KEPT, Fate.KEPT);
        assertThat(small.add("mail", List.of(bytes("z".repeat(400)), bytes("w".repeat(1_000))), none(2), "b", false)
                        .fates())
                .containsExactly(Fate.KEPT, Fate.REMOVED);

        assertThat(small.newest(now(), 0, 10).items()).hasSize(2);
        assertThat(bed.queue("mail")).isEmpty();
        assertThat(Integer.parseInt(bed.redis.texts().get("jobs:trash:bytes")))
                .isEqualTo(small.newest(now(), 0, 10).items().stream()
                        .mapToInt(each -> each.entry().length)
                        .sum());
    }

    @Test
    void forgetsWhatIsOld() {
        bed.push("mail", "a", "b");
        trash.add("mail", List.of(bytes("a")), none(1), "b", true);
        String entry = bed.redis.texts().zrange("jobs:trash", 0, 0).get(0);
        bed.redis.texts().zadd("jobs:trash", bed.now() - 3_700, entry);

        trash.add("mail", List.of(bytes("b")), none(1), "b", true);

        assertThat(trash.newest(now(), 0, 10).items()).hasSize(1);
        assertThat(trash.newest(now(), 0, 10).items().get(0).stored()).isEqualTo(bytes("b"));
    }

    @Test
    void showsNothingThatIsOldThoughAnotherDeletionKeptItAlive() {
        bed.push("mail", "a", "b");
        trash.add("mail", List.of(bytes("a"), bytes("b")), none(2), "b", true);
        String entry = bed.redis.texts().zrange("jobs:trash", 0, 0).get(0);
        bed.redis.texts().zadd("jobs:trash", bed.now() - 3_700, entry);

        assertThat(trash.size(now())).isEqualTo(1);
        assertThat(trash.newest(now(), 0, 10).items()).singleElement().satisfies(each -> assertThat(each.stored())
                .isEqualTo(bytes("b")));
        assertThat(trash.newest(now(), 1, 10).items()).isEmpty();
    }

    @Test
    void reportsHowManyOfTheSameBatchItLost() {
        JobTrash small = trash(new Bounds(3, 100_000, Duration.ofHours(1)));
        bed.push("mail", "a", "b", "c", "d", "e", "f");
        small.add("mail", List.of(bytes("a")), none(1), "other", false);

        assertThat(small.add("mail", List.of(bytes("b"), bytes("c")), none(2), "batch", false))
                .isEqualTo(new JobTrash.Added(List.of(Fate.KEPT, Fate.KEPT), 0));
        assertThat(small.add("mail", List.of(bytes("d"), bytes("e")), none(2), "batch", false)
                        .kept())
                .isEqualTo(1);
        assertThat(small.add("mail", List.of(bytes("f"), bytes("gone")), none(2), "batch", false)
                        .lost())
                .isEqualTo(1);
    }

    @Test
    void leavesEverythingWhereItIsWhenTheKeyOfTheTrashIsNoTrash() {
        bed.push("mail", "a");
        bed.redis.texts().set("jobs:trash", "text");

        assertThat(trash.add("mail", List.of(bytes("a")), none(1), "b", true).fates())
                .containsExactly(Fate.REFUSED);
        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(trash.size(now())).isZero();
        assertThat(trash.newest(now(), 0, 10).items()).isEmpty();
    }

    @Test
    void keepsAJobThatCanNotGoBack() {
        bed.push("mail", "a");
        trash.add("mail", List.of(bytes("a")), none(1), "b", true);
        bed.redis.texts().set("queue:mail", "text");

        assertThat(trash.restore(trash.newest(now(), 0, 1).items())).containsExactly(-1);
        assertThat(trash.size(now())).isEqualTo(1);
    }

    @Test
    void passesOverWhatIsNoEntry() {
        for (String odd : List.of("", " ", "a b c d e", "1 b QUEUE 5 5 x", "1 b NOWHERE 0 0 x", "1 b QUEUE -1 0 x")) {
            bed.redis.texts().zadd("jobs:trash", bed.now(), odd);
        }

        assertThat(trash.newest(now(), 0, 10).items()).isEmpty();
        assertThat(trash.empty()).isEqualTo(6);
        assertThat(bed.redis.texts().keys("*")).isEmpty();
    }

    @Test
    void forgetsItsSizeWhenItIsEmptied() {
        bed.push("mail", "a");
        trash.add("mail", List.of(bytes("a")), none(1), "b", true);
        int size = trash.newest(now(), 0, 1).items().get(0).entry().length;
        assertThat(bed.redis.texts().get("jobs:trash:bytes")).isEqualTo(Integer.toString(size));

        assertThat(trash.empty()).isEqualTo(1);
        assertThat(bed.redis.texts().keys("jobs:trash*")).isEmpty();
    }

    @Test
    void movesAHundredAtOnceInTheirOrder() {
        byte[][] jobs = new byte[100][];
        Arrays.setAll(jobs, i -> bytes("job " + i));
        bed.redis.bytes().lpush(bed.keys.queue("mail"), jobs);
        trash.add("mail", List.of(jobs), none(100), "b", false);

        trash.restore(trash.newest(now(), 0, 100).items());

        List<String> expected = Arrays.stream(jobs).map(ScriptTestBed::text).toList();
        assertThat(bed.queue("mail")).isEqualTo(expected);
    }
}
