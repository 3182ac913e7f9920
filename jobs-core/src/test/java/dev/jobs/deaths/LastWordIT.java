package dev.jobs.deaths;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.ArgumentMasking;
import dev.jobs.DeathHandler;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobFailedException;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.admin.JobSet;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchJobId;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.RedisBatches;
import dev.jobs.chores.Reaper;
import dev.jobs.engine.Capsules;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.iterations.Iteration;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Request;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is over when the last word of a job is called, and who calls it, with a real Redis. */
@Tag("sidekiq-11.6")
class LastWordIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final DeadSetBounds DEAD = new DeadSetBounds(100, Duration.ofDays(1));

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

    /** Its jobs die, unless they are told not to. */
    final class Shop {

        final List<String> said = new CopyOnWriteArrayList<>();
        final CountDownLatch again = new CountDownLatch(1);

        @Job(value = "ship", retry = 0)
        void ship(long order) {
            throw new IllegalStateException("no truck for " + order);
        }

        @OnDeath("ship")
        void notShipped(long order, @Nullable Throwable failure, Payload job) {
            boolean dead = redis.texts().zrange("dead", 0, -1).contains(new String(job.bytes(), UTF_8));
            say(order + ": " + (failure == null ? "-" : failure.getMessage()) + (dead ? ", in the dead set" : ""));
        }

        @Job(value = "throwAway", retry = Job.NONE)
        void throwAway() {
            throw new IllegalStateException("useless");
        }

        @OnDeath("throwAway")
        void thrownAway(Payload job) {
            say(job.has("discarded_at") + ", " + bed.books().inFlight() + " in flight");
        }

        @Job("refuse")
        void refuse() {
            throw new JobFailedException("not for sale");
        }

        @OnDeath("refuse")
        void refused() {
            say("refused");
        }

        @Job(value = "sync", retry = 0)
        @Unique
        void sync(int shop) {
            throw new IllegalStateException("no line");
        }

        @OnDeath("sync")
        void notSynced(int shop) {
            say(client.in(Duration.ofHours(1)).enqueue("sync", shop) == null ? "locked" : "free");
        }

        @Job(value = "pack", retry = 0, concurrency = 1)
        void pack(boolean fails) {
            if (fails) {
                throw new IllegalStateException("no box");
            }
            again.countDown();
        }

        @OnDeath("pack")
        void notPacked() throws InterruptedException {
            client.enqueue("pack", false);
            say(again.await(60, TimeUnit.SECONDS) ? "free" : "full");
        }

        @Job(value = "print", retry = 0)
        void print(int page) {
            throw new IllegalStateException("no paper");
        }

        @OnDeath("print")
        void notPrinted(int page, Payload job) {
            String id = BatchJobId.parse(job.jid()).batch();
            BatchStatus batch = batches.find(id).orElseThrow();
            say(page + ": " + batch.dead() + " dead of " + batch.total());
        }

        @Job(value = "walk", retry = 0)
        Iteration<Integer> walk(int last) {
            return Iteration.over(List.of(1, last)).each(element -> {
                if (element == last) {
                    throw new IllegalStateException("no way to " + element);
                }
            });
        }

        @OnDeath("walk")
        void notWalked(int last, @Nullable Throwable failure) {
            say(last + ": " + (failure == null ? "-" : failure.getMessage()));
        }

        @Job(value = "sleep", timeout = "100ms", timeoutRetry = false)
        void sleep() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @OnDeath("sleep")
        void overslept(@Nullable Throwable failure) {
            say(failure == null ? "-" : failure.getClass().getSimpleName());
        }

        private void say(String what) {
            said.add(what);
        }
    }

    @BeforeEach
    void hear() {
        client = bed.client(shop);
        batches = new RedisBatches(bed.connections(), client, new SecureRandom());
        bed.batches = batches;
        bed.deathHandlers.add(deaths());
    }

    private DeathHandler deaths() {
        return new JobDeaths(jobs, new ArgumentMasking(jobs, List.of()), bed.hooks());
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    private void awaitWords(int count) {
        await().atMost(PATIENCE).until(() -> shop.said.size() >= count);
    }

    @Test
    void itComesOnceRedisHasStoredTheDeath() {
        bed.start(jobs);
        for (long order = 0; order < 20; order++) {
            client.enqueue("ship", order);
        }
        awaitWords(20);
        bed.stopEngines();

        assertThat(shop.said)
                .hasSize(20)
                .contains("7: no truck for 7, in the dead set")
                .allMatch(each -> each.endsWith("in the dead set"));
    }

    @Test
    void aDiscardedJobIsGoneByThen() {
        bed.start(jobs);
        client.enqueue("throwAway");
        awaitWords(1);

        assertThat(shop.said).containsExactly("true, 0 in flight");
    }

    @Test
    void otherEndsAreNoDeaths() {
        client.enqueue("refuse");
        bed.push("default", payload("ship", "expired", "[7]", "\"expiry\":1.5"));
        client.cancel(String.valueOf(client.enqueue("ship", 8L)));
        bed.start(jobs);
        bed.awaitEnds(3);
        bed.stopEngines();

        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .containsExactlyInAnyOrder(Ending.FAILED, Ending.EXPIRED, Ending.CANCELLED);
        assertThat(shop.said).isEmpty();
    }

    @Test
    void anIterationThatFailsDies() {
        bed.start(jobs);
        client.enqueue("walk", 7);
        awaitWords(1);

        assertThat(shop.said).containsExactly("7: no way to 7");
    }

    @Test
    void aJobOverItsTimeDiesOfIt() {
        bed.start(jobs);
        client.enqueue("sleep");
        awaitWords(1);

        assertThat(shop.said).containsExactly("JobTimeoutException");
    }

    @Test
    void theLockOfAUniqueJobIsFreeByThen() {
        bed.start(jobs);
        client.enqueue("sync", 1);
        awaitWords(1);

        assertThat(shop.said).containsExactly("free");
    }

    @Test
    void thePermitOfALimitedJobIsFreeByThen() {
        bed.start(jobs);
        client.enqueue("pack", true);
        awaitWords(1);

        assertThat(shop.said).containsExactly("free");
    }

    @Test
    void theBatchKnowsOfTheDeathByThen() {
        bed.start(jobs);
        String id = batches.create("print", batch -> batch.add(JobCall.named("print", 1)));
        awaitWords(1);

        assertThat(shop.said).containsExactly("1: 1 dead of 1");
        await().atMost(PATIENCE).until(() -> batches.find(id).orElseThrow().isFinished());
    }

    @Test
    void aJobThatKeptEndingItsWorkerHasThrownNothing() {
        try (ChoreTestBed process = new ChoreTestBed(bed)) {
            ProcessLeases leases = new ProcessLeases(
                    process.connection, process.keys, process.lease.timing(), DEAD, 1, EffectSource.NONE);
            JobClaims claims = new JobClaims(process.connection, process.keys, Clock.systemUTC(), DEAD, 1);
            JobSets sets = new JobSets(process.connection, process.keys, DEAD, EffectSource.NONE);
            Reaper reaper = new Reaper(
                    leases,
                    new InFlightJobs(process.connection, process.keys),
                    process.context,
                    new Capsules(List.of(), process.context, (job, reason) -> {}),
                    new ClearedQueues(process.connection, process.keys, sets, new SecureRandom()));
            leases.register("me", Duration.ZERO);
            client.enqueue("ship", 7L);
            leases.register("gone", Duration.ZERO);
            claims.exchange(new Request("gone", 0, 1, "m", 1, 1, List.of("default"), List.of(), ClaimGate.OPEN));
            redis.texts().zadd("jobs:beats", -1, "gone");
            reaper.reap(List.of("gone"));
            reaper.runOnce();
        }

        assertThat(shop.said).containsExactly("7: -, in the dead set");
    }

    @Test
    void aJobThatIsKilledByHandHasItsLastWordInTheProcessOfTheAdministration() {
        String one = payload("ship", "j1", "[7]", "\"queue\":\"default\"");
        redis.texts().zadd("retry", 1, one);
        try (JobsAdmin admin = new JobsAdmin(
                bed.connections(), DEAD, JobHooks.none().with(DeathHandler.class, deaths()), Clock.systemUTC())) {
            admin.sets().kill(JobSet.RETRY, one.getBytes(UTF_8));
        }

        assertThat(shop.said).containsExactly("7: -, in the dead set");
    }
}
