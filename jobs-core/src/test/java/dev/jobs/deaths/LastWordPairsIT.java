package dev.jobs.deaths;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.ArgumentMasking;
import dev.jobs.DeathHandler;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.limiters.OverLimitException;
import dev.jobs.limits.Limit;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.retries.Retry;
import dev.jobs.retries.RetryDecisions;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Last words beside what else may become of a job; what is over by then is in {@link LastWordIT}. */
class LastWordPairsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration TIME = Duration.ofSeconds(5);
    private static final ScanBudget ENOUGH = new ScanBudget(1_000, TIME);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Shop shop = new Shop();
    private final JobRegistry jobs = JobRegistry.of(shop);
    private RedisJobClient client;

    @AutoClose
    private RedisBatches batches;

    @AutoClose
    private RedisRecurringJobs recurring;

    @AutoClose
    private JobsAdmin admin;

    final class Shop {

        final List<String> said = new CopyOnWriteArrayList<>();
        private final AtomicBoolean first = new AtomicBoolean(true);

        @Job(value = "ship", retry = 0)
        void ship(long order) {
            throw new IllegalStateException("no truck for " + order);
        }

        @OnDeath("ship")
        void notShipped(long order, @Nullable Throwable failure) {
            said.add(order + ": " + (failure == null ? "-" : failure.getMessage()));
        }

        @Job("load")
        @Retry(maxRetries = 8, delay = "1h", excludes = IllegalArgumentException.class)
        void load(boolean known) {
            throw known ? new IllegalStateException("no answer") : new IllegalArgumentException("no such shop");
        }

        @OnDeath("load")
        void notLoaded(boolean known, Throwable failure) {
            said.add(known + ": " + failure.getMessage());
        }

        @Job(value = "sync", retry = 0)
        @Unique(onConflict = Unique.OnConflict.REPLACE)
        void sync(int shop) {
            throw new IllegalStateException("no line");
        }

        @OnDeath("sync")
        void notSynced(int shop) {
            said.add("sync");
        }

        @Job(value = "index", retry = 0)
        @Unique(onConflict = Unique.OnConflict.REJECT)
        void index(int shop) {
            throw new IllegalStateException("no line");
        }

        @OnDeath("index")
        void notIndexed(int shop) {
            said.add("index");
        }

        @Job(value = "call", retry = 0)
        @Limit(name = "api", rate = 2, per = "1d")
        void call(int number) {
            throw new IllegalStateException("no answer");
        }

        @OnDeath("call")
        void notCalled(int number) {
            said.add("call " + number);
        }

        @Job(value = "crowded", retry = 0)
        void crowded() {
            throw new OverLimitException("erp", Duration.ofHours(1));
        }

        @OnDeath("crowded")
        void turnedAway(Throwable failure) {
            said.add(failure.getClass().getSimpleName());
        }

        @Job(value = "nightly", retry = 0)
        void nightly() {
            throw new IllegalStateException("no data");
        }

        @OnDeath("nightly")
        void again() {
            if (first.getAndSet(false)) {
                said.add(recurring.runNow("nightly") == null ? "overlaps" : "runs again");
            }
        }

        @Job("count")
        void count(String what) {
            said.add(what);
        }
    }

    @BeforeEach
    void hear() {
        client = bed.client(shop);
        batches = new RedisBatches(bed.connections(), client, new SecureRandom());
        bed.batches = batches;
        recurring = new RedisRecurringJobs(
                bed.connections(), jobs, JobHooks.none(), ClientConfig.defaults(), new Random(1), "default");
        DeathHandler deaths = new JobDeaths(jobs, new ArgumentMasking(jobs, List.of()), bed.hooks());
        bed.deathHandlers.add(deaths);
        bed.policies.add(new RetryDecisions(
                jobs,
                named -> {
                    throw new AssertionError("no annotation names a policy");
                },
                new Random(1)));
        admin = new JobsAdmin(
                bed.connections(),
                new DeadSetBounds(100, Duration.ofDays(1)),
                JobHooks.none().with(DeathHandler.class, deaths),
                Clock.systemUTC());
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    private void awaitWords(int count) {
        await().atMost(PATIENCE).until(() -> shop.said.size() >= count);
    }

    private void run(int ends) {
        bed.start(jobs);
        bed.awaitEnds(ends);
        bed.awaitDrained("default");
        bed.stopEngines();
    }

    private static byte[] only(String set) {
        List<byte[]> jobs = redis.bytes().zrange(set.getBytes(UTF_8), 0, -1);
        assertThat(jobs).hasSize(1);
        return jobs.get(0);
    }

    @Test
    void aFailureThatIsNotToBeRetriedIsTheLast() {
        client.enqueue("load", true);
        client.enqueue("load", false);
        run(2);

        assertThat(shop.said).containsExactly("false: no such shop");
    }

    @Test
    void eachOfManyThatAreKilledByHandHasIts() {
        for (int order = 1; order <= 3; order++) {
            redis.texts().zadd("schedule", 1e11 + order, payload("ship", "j" + order, "[" + order + "]"));
        }
        assertThat(admin.sets().all(JobSet.SCHEDULED).kill().done()).isEqualTo(3);

        assertThat(shop.said).containsExactlyInAnyOrder("1: -", "2: -", "3: -");
    }

    @Test
    void aRevivedJobMayDieAgain() {
        bed.start(jobs);
        client.enqueue("ship", 7L);
        awaitWords(1);
        admin.sets().runNow(JobSet.DEAD, only("dead"));
        awaitWords(2);

        assertThat(shop.said).containsExactly("7: no truck for 7", "7: no truck for 7");
    }

    @Test
    void whatIsDeletedOrComesBackToTheDeadSetDiesNoDeath() {
        String waiting = client.enqueue("ship", 7L);
        List<ListedJob> queued =
                admin.queues().findById("default", waiting, ENOUGH).items();
        admin.trash().delete("default", queued, "one", deleted -> {});
        redis.texts().zadd("dead", System.currentTimeMillis() / 1e3, payload("ship", "dead", "[8]"));
        assertThat(admin.sets().all(JobSet.DEAD).trash("two").done()).isEqualTo(1);
        admin.trash().restoreBatch("two", TIME);

        assertThat(only("dead")).isNotEmpty();
        assertThat(shop.said).isEmpty();

        admin.trash().restoreBatch("one", TIME);
        run(1);
        assertThat(shop.said).as("it runs again").containsExactly("7: no truck for 7");
    }

    @Test
    void aReplacedJobHasNoneAndItsSuccessorHas() {
        client.enqueue("sync", 1);
        client.enqueue("sync", 1);
        run(2);

        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .containsExactlyInAnyOrder(Ending.REPLACED, Ending.DEAD);
        assertThat(shop.said).containsExactly("sync");
    }

    @Test
    void aRejectedDuplicateHasNoneThoughItGoesToTheDeadSet() {
        client.in(Duration.ofHours(1)).enqueue("index", 1);
        assertThat(client.enqueue("index", 1)).isNull();

        assertThat(only("dead")).isNotEmpty();
        assertThat(shop.said).isEmpty();
    }

    @Test
    void aJobOfABatchThatIsKilledByHandCountsAsDeadByThen() {
        String id = batches.create(
                "orders", batch -> batch.add(JobCall.named("ship", 7L).with(each -> each.in(Duration.ofHours(1))))
                        .onDeath(JobCall.named("count", "of the batch")));
        await().atMost(PATIENCE).until(() -> redis.texts().zcard("schedule") == 1);
        assertThat(admin.sets().kill(JobSet.SCHEDULED, only("schedule"))).isTrue();

        assertThat(shop.said).containsExactly("7: -");
        assertThat(batches.find(id).orElseThrow()).extracting(BatchStatus::dead).isEqualTo(1L);
        run(1);
        assertThat(shop.said).as("its callback is a job of its own").containsExactly("7: -", "of the batch");
    }

    @Test
    void jobsOfACancelledBatchHaveNone() {
        String id = batches.create("orders", batch -> batch.add(JobCall.named("ship", 7L)));
        batches.cancel(id);
        run(1);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.SKIPPED);
        assertThat(shop.said).isEmpty();
    }

    @Test
    void oneThatWaitsAtARateDiesOnlyOnceItHasRun() {
        for (int number = 1; number <= 3; number++) {
            client.enqueue("call", number);
        }
        bed.start(jobs);
        awaitWords(2);
        await().atMost(PATIENCE).until(() -> admin.limits().parked() == 1);

        assertThat(shop.said).containsExactlyInAnyOrder("call 1", "call 2");
        bed.stopEngines();
    }

    @Test
    void oneThatALimiterHasTurnedAwayTooOftenDies() {
        client.enqueue("crowded");
        bed.push("default", payload("crowded", "j20", "[]", "\"retry\":0", "\"overrated\":20"));
        run(2);

        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .containsExactlyInAnyOrder(Ending.OVER_LIMIT, Ending.DEAD);
        assertThat(shop.said).containsExactly("OverLimitException");
    }

    @Test
    void aRunOfARecurringJobNoLongerKeepsOthersAway() {
        recurring.save("nightly", Recurrence.cron("@yearly").overlap(Overlap.SKIP), JobCall.named("nightly"));
        recurring.runNow("nightly");
        run(2);

        assertThat(shop.said).containsExactly("runs again");
    }
}
