package dev.jobs.admin;

import static dev.jobs.admin.NumberedJobs.job;
import static dev.jobs.admin.NumberedJobs.schedule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Actions on all matching jobs, step by step. */
class BulkStepsIT {

    private static final Predicate<JobRecord> ANY = job -> true;

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    @AutoClose
    private final JobsAdmin admin = new JobsAdmin(
            connections, new DeadSetBounds(10_000, Duration.ofDays(1)), JobHooks.none(), Clock.systemUTC());

    @Test
    void eachStepContinuesWhereTheLastOneEnded() {
        schedule(redis, 1_000);
        Predicate<JobRecord> even = job -> Integer.parseInt(String.valueOf(job.jid())) % 2 == 0;

        long done = 0;
        int steps = 0;
        String cursor = null;
        do {
            BulkResult step = admin.sets()
                    .all(JobSet.SCHEDULED, even)
                    .step(cursor, Duration.ZERO)
                    .kill();
            done += step.done();
            cursor = step.cursor();
            steps++;
        } while (cursor != null);

        assertThat(done).isEqualTo(500);
        assertThat(steps).isEqualTo(10);
        assertThat(redis.texts().zcard("schedule")).isEqualTo(500);
        assertThat(redis.texts().zcard("dead")).isEqualTo(500);
    }

    @Test
    void reportsWhatAStepDidThoughRedisFailedInTheMiddle() {
        schedule(redis, 300);
        AtomicInteger asked = new AtomicInteger();
        Predicate<JobRecord> saboteur = job -> {
            if (asked.incrementAndGet() == 150) {
                redis.texts().set("schedule", "no set");
            }
            return true;
        };

        BulkResult step = admin.sets()
                .all(JobSet.SCHEDULED, saboteur)
                .step(null, Duration.ofSeconds(10))
                .kill();

        assertThat(step.done()).isEqualTo(100);
        assertThat(step.cursor()).isNotNull();
        assertThatThrownBy(() -> admin.sets()
                        .all(JobSet.SCHEDULED, ANY)
                        .step(step.cursor(), Duration.ofSeconds(10))
                        .kill())
                .isInstanceOf(JobStoreException.class);
        assertThat(redis.texts().zcard("dead")).isEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(doubles = {3_000_000_000.0, 4_000_000_020.5, 5_000_000_000.0})
    void reschedulesManyJobsAndLooksAtNoneTwice(double to) {
        schedule(redis, 1_000);
        Instant at = Instant.ofEpochMilli((long) (to * 1_000));
        Predicate<JobRecord> even = job -> Integer.parseInt(String.valueOf(job.jid())) % 2 == 0;

        long done = 0;
        String cursor = null;
        do {
            BulkResult step = admin.sets()
                    .all(JobSet.SCHEDULED, even)
                    .step(cursor, Duration.ZERO)
                    .reschedule(at);
            done += step.done();
            cursor = step.cursor();
        } while (cursor != null);

        assertThat(done).isEqualTo(500);
        assertThat(redis.texts().zcard("schedule")).isEqualTo(1_000);
        assertThat(redis.texts().zcount("schedule", io.lettuce.core.Range.create(to, to)))
                .isEqualTo(500);
        assertThat(redis.texts().zscore("schedule", job(42))).isEqualTo(to);
        assertThat(redis.texts().zscore("schedule", job(43))).isEqualTo(4e9 + 4);
        assertThat(admin.sets().all(JobSet.SCHEDULED, even).reschedule(at)).isEqualTo(new BulkResult(0, 0, 0, null));
        assertThatThrownBy(() -> admin.sets().all(JobSet.DEAD, even).reschedule(at))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void reschedulesToATimeThatSomeJobsHave() {
        schedule(redis, 1_000);

        assertThat(admin.sets().all(JobSet.SCHEDULED, ANY).reschedule(Instant.ofEpochSecond(4_000_000_050L)))
                .isEqualTo(new BulkResult(990, 0, 0, null));

        assertThat(redis.texts().zcount("schedule", io.lettuce.core.Range.create(4e9 + 50, 4e9 + 50)))
                .isEqualTo(1_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1_2_3", "NaN_1_1_1", "1_1_NaN_1", "1_1_1_-1", "1_1_1_1_1"})
    void refusesAnInvalidCursor(String cursor) {
        assertThatThrownBy(() -> admin.sets()
                        .all(JobSet.RETRY, ANY)
                        .step(cursor, Duration.ZERO)
                        .run())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cursor");
    }
}
