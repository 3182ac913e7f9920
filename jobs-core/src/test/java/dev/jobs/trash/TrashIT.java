package dev.jobs.trash;

import static dev.jobs.admin.NumberedJobs.job;
import static dev.jobs.admin.NumberedJobs.schedule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.admin.BulkResult;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScriptOutputType;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Deletions that can be undone. */
class TrashIT {

    private static final Predicate<JobRecord> ANY = job -> true;
    private static final ScanBudget ENOUGH = new ScanBudget(100_000, Duration.ofSeconds(10));

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    @AutoClose
    private final JobsAdmin admin = new JobsAdmin(
            connections, new DeadSetBounds(10_000, Duration.ofDays(1)), JobHooks.none(), Clock.systemUTC());

    @Test
    void restoresStepByStepWhateverOthersDoMeanwhile() {
        schedule(redis, 650);
        List<JobRecord> jobs = new ArrayList<>();
        for (int from = 0; from < 650; from += 50) {
            admin.sets().jobs(JobSet.SCHEDULED, ANY, from, 50, ENOUGH).items().forEach(each -> jobs.add(each.job()));
        }
        for (int i = 0; i < 600; i += 100) {
            String batch = i % 200 == 0 ? "one" : "two";
            admin.trash().delete(JobSet.SCHEDULED, jobs.subList(i, i + 100), batch, deleted -> {});
        }

        // Without time each step looks at a hundred: the newest are those of the other batch.
        Trash.Restored first = admin.trash().restoreBatch("one", null, Duration.ZERO);
        Trash.Restored second = admin.trash().restoreBatch("one", first.cursor(), Duration.ZERO);
        assertThat(List.of(first.done(), second.done())).containsExactly(0L, 100L);

        // What it has looked at becomes more and less.
        admin.trash().delete(JobSet.SCHEDULED, jobs.subList(600, 650), "three", deleted -> {});
        admin.trash().restoreBatch("two", Duration.ofSeconds(10));
        long done = 0;
        String cursor = second.cursor();
        while (cursor != null) {
            Trash.Restored next = admin.trash().restoreBatch("one", cursor, Duration.ZERO);
            done += next.done();
            cursor = next.cursor();
        }
        assertThat(done).isEqualTo(200);
        assertThat(redis.texts().zcard("schedule")).isEqualTo(600);
    }

    @Test
    void stopsOnceAllSingleJobsAreRestored() {
        schedule(redis, 250);
        for (int i = 0; i < 2; i++) {
            List<JobRecord> jobs = admin.sets().jobs(JobSet.SCHEDULED, ANY, 0, 100, ENOUGH).items().stream()
                    .map(ListedJob::job)
                    .toList();
            admin.trash().delete(JobSet.SCHEDULED, jobs, "one", deleted -> {});
        }
        String newest = admin.trash().jobs(0, 1).items().get(0).id();
        assertThat(admin.trash().restore(Set.of(newest), null, Duration.ZERO)).isEqualTo(new Trash.Restored(1, null));
        assertThat(admin.trash().restore(Set.of(newest), null, Duration.ZERO)).satisfies(gone -> {
            assertThat(gone.done()).isZero();
            assertThat(gone.more()).isTrue();
        });
    }

    @Test
    void restoresABatchAlthoughOtherJobsWereDeletedSince() {
        schedule(redis, 300);
        List<JobRecord> jobs = admin.sets().jobs(JobSet.SCHEDULED, ANY, 0, 200, ENOUGH).items().stream()
                .map(ListedJob::job)
                .toList();
        admin.trash().delete(JobSet.SCHEDULED, jobs.subList(0, 150), "one", deleted -> {});
        admin.trash().delete(JobSet.SCHEDULED, jobs.subList(150, 200), "two", deleted -> {});

        Trash.Restored restored = admin.trash().restoreBatch("one", Duration.ofSeconds(10));

        assertThat(restored).isEqualTo(new Trash.Restored(150, null));
        assertThat(redis.texts().zcard("schedule")).isEqualTo(250);
        assertThat(redis.texts().zscore("schedule", job(42))).isEqualTo(4e9 + 4);
        assertThat(admin.trash().jobs(0, 200).total()).isEqualTo(50);
        assertThat(admin.trash().restoreBatch("one", Duration.ofSeconds(10)).done())
                .isZero();
        assertThatThrownBy(() -> admin.trash().restoreBatch("one", "more", Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.trash().restoreBatch("a b", Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.sets().all(JobSet.SCHEDULED).trash("a b"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void fill(int jobs) {
        redis.texts()
                .eval(
                        "for i = 1, tonumber(ARGV[1]) do redis.call('LPUSH', KEYS[1], i) end",
                        ScriptOutputType.VALUE,
                        new String[] {"queue:mail"},
                        Integer.toString(jobs));
        redis.texts().sadd("queues", "mail");
    }

    @Test
    @LongTest
    void clearsNoQueueThatTheTrashCanNotKeep() {
        fill(10_001);
        assertThat(admin.trash().wouldKeep(admin.queues().find("mail").orElseThrow()))
                .isFalse();
        assertThat(admin.trash().clear("mail", "b", deleted -> {})).isEmpty();
        assertThat(redis.texts().llen("queue:mail")).isEqualTo(10_001);

        redis.flush();
        for (int i = 0; i < 9; i++) {
            redis.texts().lpush("queue:mail", i + "x".repeat(8_000_000));
        }
        assertThat(admin.trash().wouldKeep(admin.queues().find("mail").orElseThrow()))
                .isTrue();
        assertThat(admin.trash().clear("mail", "b", deleted -> {})).isEmpty();
        assertThat(redis.texts().llen("queue:mail")).isEqualTo(9);
        assertThat(admin.trash().jobs(0, 10).items()).isEmpty();
    }

    @Test
    void clearsAsManyAsThereWereAndReportsItsProgress() {
        fill(1_000);
        List<Trash.Deleted> told = new ArrayList<>();

        Trash.Deleted deleted = admin.trash()
                .clear("mail", "b", so -> {
                    told.add(so);
                    redis.texts().lpush("queue:mail", "new");
                })
                .orElseThrow();

        assertThat(deleted).isEqualTo(new Trash.Deleted(1_000, 0, 1_000));
        assertThat(told).hasSizeGreaterThan(9).last().isEqualTo(deleted);
        assertThat(redis.texts().lrange("queue:mail", 0, -1))
                .hasSize(told.size())
                .containsOnly("new");
        assertThat(redis.texts().smembers("queues")).containsExactly("mail");

        fill(1_000);
        told.clear();
        assertThatThrownBy(() -> admin.trash().clear("mail", "c", so -> {
                    told.add(so);
                    if (so.done() >= 100) {
                        redis.texts().set("queue:mail", "no list");
                    }
                }))
                .isInstanceOf(JobStoreException.class);
        assertThat(told).last().extracting(Trash.Deleted::done).isEqualTo(100L);
    }

    @LongTest
    @Test
    void countsOnlyJobsThatAreInTheTrashAtTheEnd() {
        redis.texts()
                .eval(
                        "for i = 1, 10050 do redis.call('ZADD', KEYS[1], i, 'job ' .. i) end",
                        ScriptOutputType.VALUE,
                        "retry");

        long restorable = 0;
        String cursor = null;
        do {
            BulkResult step = admin.sets()
                    .all(JobSet.RETRY, ANY)
                    .step(cursor, Duration.ZERO)
                    .trash("b");
            restorable += step.restorable();
            cursor = step.cursor();
        } while (cursor != null);

        assertThat(restorable).isEqualTo(10_000);
        assertThat(admin.trash().jobs(0, 1).total()).isEqualTo(10_000);
    }
}
