package dev.jobs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.limits.LimitedJob;
import dev.jobs.proof.LongTest;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import dev.jobs.trash.TrashedJob;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A page ends after 16 MiB of jobs, also if it was to have more of them. */
class PageSizesIT {

    private static final int JOBS = 20;
    private static final String MEGABYTE = "x".repeat(1_024 * 1_024);

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final JobsAdmin admin = new JobsAdmin(
            redis.connections(""), new DeadSetBounds(100, Duration.ofDays(1)), JobHooks.none(), Clock.systemUTC());

    @BeforeEach
    void empty() {
        redis.flush();
    }

    private static String job(int number) {
        return "{\"class\":\"A\",\"jid\":\"j" + number + "\",\"args\":[\"" + MEGABYTE + "\"]}";
    }

    @LongTest
    @Test
    void ofParkedJobs() {
        for (int i = 10; i < 10 + JOBS; i++) {
            redis.texts().zadd("jobs:parked:big", 0, "k\n00000000000000" + i + "\nmail\n1\n" + job(i));
        }

        assertEnds(
                from -> admin.limits().waiting("big", "k", from, 200), LimitedJob::job, IntStream.range(10, 10 + JOBS));
    }

    @LongTest
    @Test
    void ofDeletedJobs() {
        long now = Instant.now().getEpochSecond();
        for (int i = 10; i < 10 + JOBS; i++) {
            redis.texts().zadd("jobs:trash", now - i, "0 b QUEUE 4 0 mail" + job(i));
        }

        assertEnds(from -> admin.trash().jobs(from, 200), TrashedJob::job, IntStream.range(10, 10 + JOBS));
    }

    private static <T> void assertEnds(LongFunction<Page<T>> pages, Function<T, JobRecord> job, IntStream numbers) {
        Page<T> first = pages.apply(0);
        Page<T> second = pages.apply(first.next());

        assertThat(first.items()).hasSizeBetween(15, 16);
        assertThat(first.partial()).isTrue();
        assertThat(List.of(first.total(), second.total())).containsOnly((long) JOBS);
        assertThat(second.partial()).isFalse();
        assertThat(second.next()).isEqualTo(-1);
        List<T> all = new ArrayList<>(first.items());
        all.addAll(second.items());
        assertThat(all)
                .extracting(each -> job.apply(each).jid())
                .containsExactlyElementsOf(
                        numbers.mapToObj(number -> "j" + number).toList());
    }
}
