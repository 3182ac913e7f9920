package dev.jobs.admin;

import static dev.jobs.admin.NumberedJobs.enqueue;
import static dev.jobs.admin.NumberedJobs.job;
import static dev.jobs.admin.NumberedJobs.schedule;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.Range;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs move from queue to queue, or will wait in another one once they are due; each is in one place all the time. */
class MovesToQueuesIT {

    private static final Duration NO_TIME = Duration.ZERO;
    private static final Duration ENOUGH = Duration.ofMinutes(1);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    @AutoClose
    private final JobsAdmin admin = new JobsAdmin(
            connections, new DeadSetBounds(10_000, Duration.ofDays(1)), JobHooks.none(), Clock.systemUTC());

    private static String moved(int number) {
        return job(number).replace("mail", "bulk");
    }

    private static List<String> queue(String name) {
        return redis.texts().lrange("queue:" + name, 0, -1);
    }

    @Test
    void movesAJobToTheEndOfAnotherQueue() {
        enqueue(redis, 3);
        redis.texts().lpush("queue:bulk", moved(9));

        JobRecord there = admin.queues().move("mail", job(1).getBytes(UTF_8), "bulk");

        assertThat(Objects.requireNonNull(there).text(1_000)).isEqualTo(moved(1));
        assertThat(queue("mail")).containsExactly(job(2), job(0));
        assertThat(queue("bulk")).containsExactly(moved(1), moved(9));
        assertThat(redis.texts().smembers("queues")).containsExactlyInAnyOrder("mail", "bulk");
    }

    @Test
    void leavesAJobThatIsGone() {
        enqueue(redis, 1);

        assertThat(admin.queues().move("mail", job(7).getBytes(UTF_8), "bulk")).isNull();
        assertThat(admin.sets().move(JobSet.RETRY, job(7).getBytes(UTF_8), "bulk"))
                .isNull();

        assertThat(queue("mail")).containsExactly(job(0));
        assertThat(redis.texts().keys("*")).containsExactlyInAnyOrder("queue:mail", "queues");
    }

    @Test
    void leavesWhatCannotBeMoved() {
        enqueue(redis, 1);
        redis.texts().lpush("queue:mail", "no job");
        redis.texts().set("queue:broken", "no list");

        assertThatThrownBy(() -> admin.queues().move("mail", "no job".getBytes(UTF_8), "bulk"))
                .isInstanceOf(JobsException.class);
        assertThatThrownBy(() -> admin.queues().move("mail", job(0).getBytes(UTF_8), "broken"))
                .isInstanceOf(JobStoreException.class)
                .hasMessageContaining("queue 'broken'");
        assertThatThrownBy(() -> admin.queues().move("mail", job(0).getBytes(UTF_8), "mail"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.queues().moveAll("mail", "a\nb", null, ENOUGH))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.sets().move(JobSet.DEAD, job(0).getBytes(UTF_8), "bulk"))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(queue("mail")).containsExactly("no job", job(0));
    }

    @Test
    void movesAllJobsOfAQueueInTheirOrderStepByStep() {
        enqueue(redis, 250);
        redis.texts().rpush("queue:mail", "no job"); // the next one
        long done = 0;
        long kept = 0;
        int steps = 0;
        String cursor = null;
        do {
            BulkResult step = admin.queues().moveAll("mail", "bulk", cursor, NO_TIME);
            done += step.done();
            kept += step.kept();
            cursor = step.cursor();
            steps++;
        } while (cursor != null);

        assertThat(List.of(done, kept, (long) steps)).containsExactly(250L, 1L, 3L);
        assertThat(queue("mail")).containsExactly("no job");
        assertThat(queue("bulk"))
                .containsExactlyElementsOf(
                        IntStream.range(0, 250).mapToObj(i -> moved(249 - i)).toList());
    }

    /** A worker takes what can't be moved, and buries it. */
    @Test
    void passesOverNoJobIfThatBeforeItGoes() {
        enqueue(redis, 250);
        redis.texts().rpush("queue:mail", "no job", "none either");
        String cursor = Objects.requireNonNull(
                admin.queues().moveAll("mail", "bulk", null, NO_TIME).cursor());
        assertThat(redis.texts().rpop("queue:mail")).isEqualTo("none either");

        BulkResult rest = admin.queues().moveAll("mail", "bulk", cursor, ENOUGH);

        assertThat(queue("mail")).containsExactly("no job");
        assertThat(List.of(rest.done(), rest.kept())).containsExactly(152L, 0L);
    }

    @Test
    void looksAtNoMoreJobsThanThereWere() {
        enqueue(redis, 150);
        String cursor = Objects.requireNonNull(
                admin.queues().moveAll("mail", "bulk", null, NO_TIME).cursor());
        redis.texts().lpush("queue:mail", job(1_000));

        admin.queues().moveAll("mail", "bulk", cursor, ENOUGH);

        assertThat(queue("mail")).containsExactly(job(1_000));
        assertThatThrownBy(() -> admin.queues().moveAll("mail", "bulk", "1_x", ENOUGH))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1795238150.575509, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 0.000001})
    void aJobOfASetKeepsItsTime(double score) {
        redis.texts().zadd("retry", score, job(1));
        redis.texts().zadd("retry", score, job(2));

        JobRecord there = admin.sets().move(JobSet.RETRY, job(1).getBytes(UTF_8), "bulk");

        assertThat(Objects.requireNonNull(there).queue()).isEqualTo("bulk");
        assertThat(redis.texts().zscore("retry", moved(1))).isEqualTo(score);
        assertThat(redis.texts().zrange("retry", 0, -1)).containsExactlyInAnyOrder(job(2), moved(1));
    }

    @Test
    void allJobsOfASetAreMovedThoughTheyStayInIt() {
        schedule(redis, 450); // ten to a score
        for (int i = 0; i < 300; i++) {
            redis.texts().zadd("schedule", 5e9, job(1_000 + i)); // three calls of one score
        }
        redis.texts().zadd("schedule", 5e9, moved(5_000));
        long done = 0;
        String cursor = null;
        do {
            BulkResult step =
                    admin.sets().all(JobSet.SCHEDULED).step(cursor, NO_TIME).move("bulk");
            done += step.done();
            cursor = step.cursor();
        } while (cursor != null);

        assertThat(done).isEqualTo(750);
        assertThat(redis.texts().zrange("schedule", 0, -1))
                .hasSize(751)
                .allMatch(each -> each.contains("\"queue\":\"bulk\""));
        assertThat(redis.texts().zcount("schedule", Range.create(5e9, 5e9))).isEqualTo(301);
    }

    /** The new names are sorted before or behind all others of the same time. */
    @ParameterizedTest
    @ValueSource(strings = {"aaa", "zzz"})
    void noMatchingJobIsMissedWhereverItIsSortedThen(String to) {
        for (int i = 0; i < 500; i++) {
            redis.texts().zadd("retry", 4e9, job(i));
        }
        long done = 0;
        String cursor = null;
        do {
            BulkResult step = admin.sets()
                    .all(JobSet.RETRY, job -> Integer.parseInt(String.valueOf(job.jid())) % 2 == 0)
                    .step(cursor, NO_TIME)
                    .move(to);
            done += step.done();
            cursor = step.cursor();
        } while (cursor != null);

        assertThat(done).isEqualTo(250);
        assertThat(redis.texts().zrange("retry", 0, -1))
                .hasSize(500)
                .filteredOn(each -> each.contains("\"queue\":\"" + to + "\""))
                .hasSize(250);
    }
}
