package dev.jobs.results;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.Masked;
import dev.jobs.admin.JobSet;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.iterations.Iteration;
import dev.jobs.proof.LongTest;
import dev.jobs.results.JobProgress.Line;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The progress and the log lines of jobs, from the job to administration. */
class ReportsIT {

    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final String LOG = "jobs:log:1";
    private static final String PROGRESS = "jobs:progress:1";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Jobs jobs = new Jobs();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final JobsAdmin admin = bed.admin();

    static final class Jobs {

        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        final AtomicLong calls = new AtomicLong();

        @Job("Tells")
        void tells(int lines, JobContext job) {
            for (int i = 1; i <= lines; i++) {
                job.progress(i, lines);
                job.log("line " + i);
            }
        }

        @Job("Waits")
        void waits(JobContext job) throws InterruptedException {
            job.log("before");
            job.progress(1, 2);
            begun.countDown();
            release.await();
            job.log("after");
            job.progress(2, 2);
        }

        @Job("Chatters")
        void chatters(JobContext job) {
            long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
            while (System.nanoTime() - end < 0) {
                job.log("line " + calls.getAndIncrement());
                job.progress(calls.get(), 0);
                Thread.onSpinWait();
            }
        }

        @Job(value = "Fails", retry = 1)
        void fails(JobContext job) {
            job.log("attempt");
            throw new IllegalStateException("always");
        }

        @Job("Secret")
        void secret(@Masked String password, JobContext job) {
            job.log("logged in with " + password + "\nand then\u0007 ü".repeat(1_000));
        }

        @Job("Walk")
        Iteration<Integer> walk(JobContext job) {
            return Iteration.over(List.of(1, 2, 3)).each(element -> job.progress(element, 3));
        }

        @Job("Silent")
        void silent() {}
    }

    @BeforeEach
    void open() {
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
    }

    @AfterEach
    void close() {
        jobs.release.countDown();
    }

    private void push(String name, String arguments) {
        bed.push("default", EngineTestBed.payload(name, "1", arguments));
    }

    private List<String> texts() {
        return admin.progress("1").lines().stream().map(Line::text).toList();
    }

    private void runAll() {
        bed.start(jobs);
        bed.awaitDrained("default");
        bed.stopEngines();
    }

    @Test
    void theLastLinesAndTheProgressAreKeptForADay() {
        push("Tells", "[450]");

        runAll();

        JobProgress progress = admin.progress("1");
        assertThat(progress.steps()).hasValueSatisfying(steps -> {
            assertThat(steps.done()).isEqualTo(450);
            assertThat(steps.total()).isEqualTo(450);
        });
        assertThat(texts())
                .isEqualTo(IntStream.rangeClosed(251, 450)
                        .mapToObj(i -> "line " + i)
                        .toList());
        assertThat(progress.lines().get(0).at())
                .isBetween(java.time.Instant.now().minusSeconds(60), java.time.Instant.now());
        assertThat(redis.texts().pttl(LOG)).isBetween(DAY - 60_000, DAY);
        assertThat(redis.texts().pttl(PROGRESS)).isBetween(DAY - 60_000, DAY);
    }

    @Test
    void aRunningJobIsSeenWithinASecondOrTwoAndEachLineOnce() {
        push("Waits", "[]");
        bed.start(jobs);

        await().until(() -> texts().equals(List.of("before")));
        await().until(() ->
                admin.progress("1").steps().filter(steps -> steps.done() == 1).isPresent());
        assertThat(redis.texts().pttl(LOG)).isGreaterThan(6 * DAY);

        jobs.release.countDown();
        bed.awaitDrained("default");
        assertThat(texts()).containsExactly("before", "after");
        assertThat(admin.progress("1").steps().orElseThrow().done()).isEqualTo(2);
        assertThat(redis.texts().pttl(LOG)).isBetween(1L, DAY);
    }

    @Test
    @LongTest
    void aJobThatTellsALotIsSentOnceASecond() {
        push("Chatters", "[]");
        long before = redis.calls("rpush");

        runAll();

        assertThat(jobs.calls.get()).isGreaterThan(1_000);
        assertThat(redis.calls("rpush") - before).isBetween(2L, 5L);
        assertThat(texts()).hasSize(200).endsWith("line " + (jobs.calls.get() - 1));
    }

    @Test
    void executionsFollowEachOther() {
        push("Fails", "[]");
        runAll();
        assertThat(redis.texts().pttl(LOG)).isGreaterThan(6 * DAY);

        byte[] stored = redis.bytes().zrange("retry".getBytes(UTF_8), 0, -1).get(0);
        admin.sets().runNow(JobSet.RETRY, stored);
        runAll();

        assertThat(texts()).containsExactly("attempt", "attempt");
    }

    @Test
    void aLineIsMaskedAndBoundedAndHasNoBreaks() {
        push("Secret", "[\"open sesame\"]");

        runAll();

        assertThat(texts()).singleElement().satisfies(line -> {
            assertThat(line).startsWith("logged in with ").doesNotContain("open sesame", "\n", "\u0007");
            assertThat(line.getBytes(UTF_8).length).isBetween(990, 1_010);
        });
    }

    @Test
    void aWorkerThatLostTheJobWritesNothing() throws Exception {
        push("Waits", "[]");
        bed.start(jobs);
        jobs.begun.await();
        await().until(() -> texts().size() == 1);
        String held = redis.texts().keys("jobs:in:*").get(0);
        redis.texts().hkeys(held).stream().filter(key -> !key.startsWith("#")).forEach(token -> redis.texts()
                .hdel(held, token));
        jobs.release.countDown();
        bed.awaitEnds(1);
        bed.stopEngines();

        assertThat(texts()).containsExactly("before");
    }

    @Test
    void aJobThatIsHandedBackLeavesWhatItTold() throws Exception {
        push("Waits", "[]");
        bed.start(jobs);
        jobs.begun.await();

        bed.stopEngines();

        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
        assertThat(texts()).containsExactly("before");
    }

    @Test
    void anIterationIsReadInTheSameWay() {
        push("Walk", "[]");

        runAll();

        assertThat(admin.progress("1").steps().orElseThrow().done()).isEqualTo(3);
        redis.texts().hset("it-1", "ex", "2");
        assertThat(admin.iteration("1").orElseThrow().executions()).isEqualTo(2);
    }

    @Test
    void aJobThatTellsNothingWritesNothing() {
        push("Silent", "[]");

        runAll();

        assertThat(redis.texts().exists(LOG, PROGRESS)).isZero();
        JobProgress nothing = admin.progress("1");
        assertThat(nothing.steps()).isEmpty();
        assertThat(nothing.lines()).isEmpty();
        assertThat(admin.iteration("1")).isEmpty();
    }

    @Test
    void keysOfAnotherTypeKeepNoJob() {
        redis.texts().hset(LOG, "no", "list");
        redis.texts().hset(PROGRESS, "no", "text");
        push("Tells", "[2]");

        runAll();

        assertThat(bed.books().acked()).isEqualTo(1);
        assertThat(texts()).isEmpty();
        redis.texts().set(PROGRESS, "1 2 soon");
        redis.texts().del(LOG);
        redis.texts().rpush(LOG, "line", "1 2 3 good");
        assertThat(texts()).containsExactly("good");
        assertThat(admin.progress("1").steps()).isEmpty();
    }
}
