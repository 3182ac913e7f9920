package dev.jobs.iterations;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Expiry;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.WorkerProcess;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A job that a worker has begun in time is carried through, whatever becomes of that execution. */
class BegunInTimeIT {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Instant START = Instant.now();
    private static final double EXPIRY = START.getEpochSecond() + 600.25;
    private static final String EXPIRES = "\"expires_in\":600,\"expiry\":" + (START.getEpochSecond() + 600) + ".25";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final AtomicLong passed = new AtomicLong();
    private final Jobs jobs = new Jobs();

    @BeforeEach
    void empty() {
        bed.times(Duration.ofMillis(200), LEASE);
        InstantSource clock = () -> Instant.now().plusNanos(passed.get());
        bed.environment = new EngineEnvironment(
                clock.withZone(ZoneOffset.UTC),
                () -> System.nanoTime() + passed.get(),
                bed.environment.random(),
                bed.environment.processorThreads(),
                bed.environment.outOfMemory());
        bed.capsules(CapsuleConfig.of("default", 1, List.of("default")));
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        jobs.release.countDown();
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    private void pass(Duration time) {
        passed.addAndGet(time.toNanos());
    }

    final class Jobs {
        final List<String> ran = new CopyOnWriteArrayList<>();
        final List<String> events = new CopyOnWriteArrayList<>();
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        final AtomicInteger interruptions = new AtomicInteger(1);

        @Job("Walk")
        Iteration<Integer> walk(int size) {
            return Iteration.over(IntStream.range(0, size).boxed().toList())
                    .each(element -> pass(Duration.ofMinutes(2)))
                    .onStop(() -> events.add("stop"))
                    .onComplete(() -> events.add("complete"))
                    .maxRuntime(Duration.ofMinutes(5));
        }

        @Job("Stops")
        void stops() throws InterruptedException {
            ran.add("stops");
            if (interruptions.getAndDecrement() > 0) {
                started.countDown();
                release.await();
                throw new JobInterruptedException("later");
            }
            throw new IllegalStateException("broken");
        }

        @Job("Waits")
        void waits() throws InterruptedException {
            ran.add("waits");
            started.countDown();
            release.await();
        }

        @Job("Hold")
        void hold(String id) {
            ran.add("hold " + id);
        }
    }

    private List<String> ends() {
        return bed.ends.stream().map(end -> end.jid() + " " + end.ending()).toList();
    }

    private static Payload first(String queue) {
        return Payload.parse(redis.bytes().lindex(("queue:" + queue).getBytes(UTF_8), -1));
    }

    @LongTest
    @Test
    void anIterationWhoseTurnsLastLongerThanItsExpiryIsCompleted() {
        List<Payload> begun = new CopyOnWriteArrayList<>();
        bed.listeners.add(new JobListener() {
            @Override
            public void started(JobContext job) {
                begun.add(job.payload());
            }
        });
        bed.push("default", payload("Walk", "j1", "[9]", EXPIRES));
        bed.start(jobs);

        bed.awaitDrained("default");
        bed.stopEngines();

        assertThat(jobs.events).endsWith("complete");
        assertThat(begun).hasSizeGreaterThan(1);
        assertThat(begun.subList(1, begun.size())).allSatisfy(each -> {
            assertThat(Expiry.of(each)).isNull();
            assertThat(each.get("jobs_expiry")).isEqualTo(EXPIRY);
        });
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).endsWith(Ending.INTERRUPTED, Ending.DONE);
        assertThat(redis.texts().keys("it-*")).isEmpty();
    }

    @Test
    void anInterruptedJobGoesOnAfterItsExpiryButItsRetriesExpire() throws Exception {
        bed.push("default", payload("Stops", "j1", "[]", EXPIRES, "\"retry\":3"));
        JobEngine engine = bed.start(jobs);
        assertThat(jobs.started.await(20, TimeUnit.SECONDS)).isTrue();
        engine.quiet();
        jobs.release.countDown();
        bed.awaitEnds(1);
        engine.stop();
        assertThat(ends()).containsExactly("j1 INTERRUPTED");
        String back = redis.texts().lindex("queue:default", -1);
        redis.texts().lset("queue:default", -1, back.replaceFirst("expiry\":[0-9.]+", "expiry\":1"));

        bed.start(jobs);
        bed.awaitEnds(2);
        bed.awaitDrained("default");

        assertThat(ends()).endsWith("j1 RETRIED");
        Payload retry = bed.only("retry");
        assertThat(retry.get("expiry")).isEqualTo(1L);
        assertThat(retry.names()).doesNotContain("jobs_expiry");
        redis.texts().del("retry");
        redis.texts().zadd("retry", 1, new String(retry.bytes(), UTF_8));

        bed.awaitEnds(3);

        assertThat(ends()).endsWith("j1 EXPIRED");
        assertThat(jobs.ran).hasSize(2);
    }

    @Test
    void aJobThatIsHandedBackAfterItHadBegunIsRunByTheNextWorker() throws Exception {
        bed.push("default", payload("Waits", "j1", "[]", "\"retry\":true", EXPIRES, "\"x\":1.0"));
        JobEngine engine = bed.start(jobs);
        assertThat(jobs.started.await(20, TimeUnit.SECONDS)).isTrue();
        bed.push("default", payload("Hold", "j2", "[\"2\"]", EXPIRES));

        engine.stop();

        Payload back = first("default");
        assertThat(back.jid()).isEqualTo("j1");
        assertThat(Expiry.of(back)).isNull();
        assertThat(back.get("jobs_expiry")).isEqualTo(EXPIRY);
        assertThat(back.get("x")).isEqualTo(1.0);
        redis.bytes()
                .lset(
                        "queue:default".getBytes(UTF_8),
                        -1,
                        back.with("jobs_expiry", 1).bytes());
        String next = redis.texts().lindex("queue:default", 0);
        redis.texts().lset("queue:default", 0, next.replaceFirst("\"expiry\":[0-9.]+", "\"expiry\":1"));
        jobs.release.countDown();
        bed.start(jobs);
        bed.awaitEnds(3);
        assertThat(ends()).containsExactly("j1 HANDED_BACK", "j1 DONE", "j2 EXPIRED");
        assertThat(jobs.ran).containsExactly("waits", "waits");
    }

    @Test
    @LongTest
    void aJobOfAKilledWorkerIsRunByTheNextOne() throws Exception {
        bed.push("default", payload("Hold", "j1", "[\"1\"]", EXPIRES));
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), LEASE)) {
            await().atMost(Duration.ofSeconds(40)).until(() -> redis.texts().llen("started") == 1);
            worker.kill();
        }
        String begun = redis.texts().hvals(redis.texts().keys("jobs:in:*").get(0)).stream()
                .filter(each -> each.contains("j1"))
                .findFirst()
                .orElseThrow();
        assertThat(begun).contains("\"jobs_expiry\":").doesNotContain("\"expiry\":");
        bed.start(jobs);

        await().atMost(Duration.ofSeconds(30)).until(() -> !bed.ends.isEmpty());

        assertThat(ends()).containsExactly("j1 DONE");
    }
}
