package dev.jobs.limits;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobRegistry;
import dev.jobs.JobUpcaster;
import dev.jobs.JobUpcaster.Stored;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limits of jobs that upcasters read: only a thread that runs jobs may find out what they are. */
class UpcastLimitsIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();
    private final List<String> threads = new CopyOnWriteArrayList<>();
    private final Semaphore upcasts = new Semaphore(1_000);

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
        assertThat(redis.texts().keys("jobs:permits:*")).isEmpty();
    }

    static final class Jobs {

        final List<String> ran = new CopyOnWriteArrayList<>();
        final AtomicInteger running = new AtomicInteger();
        final Semaphore steps = new Semaphore(0);

        @Job("Sync")
        @Limit(name = "shop", key = "{0}", concurrency = 1)
        void sync(String shop, String order) {
            assertThat(running.incrementAndGet()).isEqualTo(1);
            steps.acquireUninterruptibly();
            ran.add(shop + " " + order);
            running.decrementAndGet();
        }

        @Job("Free")
        void free(String shop) {
            ran.add("free " + shop);
        }
    }

    private JobRegistry registry() {
        return JobRegistry.of(jobs).withUpcasters(JobUpcaster.of("Old", job -> {
            threads.add(Thread.currentThread().getName());
            upcasts.acquireUninterruptibly();
            List<?> given = job.arguments();
            return given.size() == 1
                    ? new Stored("Free", List.of(given.get(0)))
                    : new Stored("Sync", List.of(given.get(1), given.get(0)));
        }));
    }

    @Test
    void theJobThatItBecomesIsLimited() {
        bed.start(registry());
        bed.push("default", payload("Old", "j1", "[\"a\",\"shop\"]"));
        await().until(() -> jobs.running.get() == 1);
        bed.push("default", payload("Old", "j2", "[\"b\",\"shop\"]"));
        bed.push("default", payload("Sync", "j3", "[\"shop\",\"c\"]"));
        await().until(() -> parked() == 2);
        jobs.steps.release(3);
        bed.awaitDrained("default");
        assertThat(jobs.ran).containsExactlyInAnyOrder("shop a", "shop b", "shop c");
    }

    private long parked() {
        return redis.texts().keys("jobs:parked:*").stream()
                .mapToLong(key -> redis.texts().zcard(key))
                .sum();
    }

    @Test
    void aJobWithoutALimitRunsAtOnce() {
        bed.start(registry());
        bed.push("default", payload("Old", "j1", "[\"a\"]"));
        bed.awaitDrained("default");
        assertThat(jobs.ran).containsExactly("free a");
    }

    @Test
    void upcastersAreCalledOnlyOnThreadsThatRunJobs() {
        bed.start(registry());
        jobs.steps.release(20);
        for (int i = 0; i < 20; i++) { // one by one: each is claimed by an idle worker
            bed.push("default", payload("Old", "j" + i, "[\"" + i + "\"" + (i % 2 == 0 ? "]" : ",\"shop\"]")));
            int ran = i + 1;
            await().until(() -> jobs.ran.size() == ran);
        }
        bed.awaitDrained("default");
        assertThat(threads).hasSize(20).allMatch(name -> name.matches("jobs-default-\\d+"));
    }

    @Test
    void aJobGoesBackIfItIsStillUpcastAtTheStop() {
        bed.times(Duration.ZERO, Duration.ofSeconds(20));
        upcasts.drainPermits();
        bed.start(registry());
        String job = payload("Old", "j1", "[\"a\",\"shop\"]");
        bed.push("default", job);
        await().until(() -> threads.size() == 1);
        CompletableFuture<Void> stop = CompletableFuture.runAsync(bed::stopEngines);
        await().until(() -> redis.texts().llen("queue:default") == 1);
        upcasts.release();
        stop.join();
        assertThat(redis.texts().lrange("queue:default", 0, -1)).containsExactly(job);
    }
}
