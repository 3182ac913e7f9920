package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.RunResult;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.iterations.Iteration;
import dev.jobs.limits.LimitedJob;
import dev.jobs.recurring.RecurringJobStore.Snapshot;
import dev.jobs.retries.Retry;
import dev.jobs.retries.RetryDecisions;
import dev.jobs.testing.RedisFixture;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Recurring jobs whose runs must not overlap, beside what else may become of a run. A run by hand is one at a slot; those
 * at slots are in {@link OverlapIT}.
 */
class RecurringPairsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration TIME = Duration.ofSeconds(5);
    private static final ScanBudget ENOUGH = new ScanBudget(1_000, TIME);
    private static final String NAME = "nightly";
    private static final Recurrence NEVER = Recurrence.cron("@yearly");

    private static final Payload PLAIN =
            Payload.parse("{\"retry\":true,\"queue\":\"default\",\"class\":\"plain\",\"args\":[]}".getBytes(UTF_8));

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Shop shop = new Shop();
    private final JobRegistry registry = JobRegistry.of(shop);

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @AutoClose
    private RedisRecurringJobs recurring;

    @AutoClose
    private RedisBatches batches;

    @AutoClose
    private ChoreTestBed process;

    private RecurringJobStore store;
    private JobsAdmin admin;

    final class Shop {

        final List<String> ran = new CopyOnWriteArrayList<>();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch may = new CountDownLatch(1);
        final CountDownLatch watching = new CountDownLatch(1);
        volatile boolean fails = true;

        @Job("plain")
        void plain() {
            ran.add("plain");
        }

        @Job("load")
        @Retry(maxRetries = 5, delay = "1h")
        void load() {
            if (fails) {
                throw new IllegalStateException("no answer");
            }
        }

        @Job(value = "soon", expiresIn = "1h")
        void soon() {
            ran.add("soon");
        }

        @Job(value = "pack", concurrency = 1)
        void pack() throws InterruptedException {
            begun.countDown();
            may.await(1, TimeUnit.MINUTES);
        }

        @Job(value = "sleep", timeout = "100ms", timeoutRetry = false)
        void sleep() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Job("walk")
        Iteration<Integer> walk(JobContext job) {
            return Iteration.over(List.of(1, 2)).each(element -> {
                ran.add(job.jid() + " " + element);
                begun.countDown();
                await().atMost(PATIENCE).until(() -> job.isCancelled() || may.getCount() == 0);
            });
        }

        @Job("watch")
        void watch(JobContext job) {
            watching.countDown();
            await().atMost(PATIENCE).until(job::isCancelled);
        }

        @Job("hand out")
        void handOut() {
            batches.create(
                    "parts", batch -> batch.add(JobCall.named("elsewhere").with(each -> each.queue("elsewhere"))));
        }
    }

    @BeforeEach
    void open() {
        recurring = new RedisRecurringJobs(
                bed.connections(), registry, JobHooks.none(), ClientConfig.defaults(), new Random(1), "default");
        process = new ChoreTestBed(bed);
        store = new RecurringJobStore(process.connection, process.keys, "default");
        batches = new RedisBatches(bed.connections(), bed.client(shop), new SecureRandom());
        bed.batches = batches;
        bed.policies.add(new RetryDecisions(
                registry,
                named -> {
                    throw new AssertionError("no annotation names a policy");
                },
                new Random(1)));
        admin = bed.admin();
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        shop.may.countDown();
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    private void save(String job, Recurrence recurrence) {
        recurring.save(NAME, recurrence, JobCall.named(job));
    }

    /** The jid of a run that had to be possible. */
    private String run() {
        String jid = recurring.runNow(NAME);
        assertThat(jid).isNotNull();
        return jid;
    }

    private boolean overlaps() {
        return recurring.runNow(NAME) == null;
    }

    private void awaitEnds(int count) {
        bed.awaitEnds(count);
        bed.awaitDrained("default");
    }

    /** Waits until the worker knows all cancellations so far: it hears of them in their order. */
    private void awaitHeardOfCancellations() {
        RedisJobClient client = bed.client(shop);
        String last = String.valueOf(client.enqueue("watch"));
        await().atMost(PATIENCE).until(() -> shop.watching.getCount() == 0);
        client.cancel(last);
        bed.beat();
        await().atMost(PATIENCE)
                .until(() -> bed.ends.stream().anyMatch(each -> each.jid().equals(last)));
    }

    private static byte[] only(String set) {
        List<byte[]> jobs = redis.bytes().zrange(set.getBytes(UTF_8), 0, -1);
        assertThat(jobs).hasSize(1);
        return jobs.get(0);
    }

    private List<ListedJob> queued(String jid) {
        return admin.queues().findById("default", jid, ENOUGH).items();
    }

    // Retry rules

    @Test
    void aRunThatWaitsForTheRetryOfItsRuleKeepsOthersAway() {
        bed.start(registry);
        save("load", NEVER.overlap(Overlap.SKIP));
        run();
        awaitEnds(1);
        assertThat(Payload.parse(only("retry")).integer("retry")).isEqualTo(5);
        assertThat(overlaps()).isTrue();

        shop.fails = false;
        assertThat(admin.sets().runNow(JobSet.RETRY, only("retry"))).isEqualTo(RunResult.ENQUEUED);
        awaitEnds(2);

        assertThat(overlaps()).isFalse();
    }

    @Test
    void aRunThatWaitsForItsRetryIsCancelledAndNotRetried() {
        bed.start(registry);
        save("load", NEVER.overlap(Overlap.CANCEL));
        String first = run();
        awaitEnds(1);
        String second = run();
        awaitEnds(2);
        awaitHeardOfCancellations();
        byte[] earlier = redis.bytes().zrange("retry".getBytes(UTF_8), 0, -1).stream()
                .filter(each -> first.equals(Payload.parse(each).jid()))
                .findFirst()
                .orElseThrow();
        bed.ends.clear();
        admin.sets().runNow(JobSet.RETRY, earlier);
        awaitEnds(1);

        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::jid, EngineTestBed.Ended::ending)
                .containsExactly(tuple(first, Ending.CANCELLED));
        assertThat(store.holder(NAME)).isEqualTo(second);
    }

    // What people do

    @Test
    void aRunThatIsKilledKeepsNoOtherAwayAndARevivedOneDoesAgain() {
        save("load", NEVER.overlap(Overlap.SKIP));
        String first = run();
        bed.start(registry);
        awaitEnds(1);
        assertThat(admin.sets().kill(JobSet.RETRY, only("retry"))).isTrue();
        assertThat(store.holder(NAME)).isNull();

        shop.fails = false;
        bed.stopEngines();
        admin.sets().runNow(JobSet.DEAD, only("dead"));

        assertThat(store.holder(NAME)).isEqualTo(first);
        assertThat(overlaps()).isTrue();
    }

    @Test
    void aDeletedRunKeepsNoOtherAwayAndOneThatIsRestoredDoesAgain() {
        save("plain", NEVER.overlap(Overlap.SKIP));
        String first = run();
        admin.trash().delete("default", queued(first), "one", deleted -> {});
        assertThat(store.holder(NAME)).isNull();
        admin.trash().restoreBatch("one", TIME);
        assertThat(store.holder(NAME)).isEqualTo(first);
        assertThat(overlaps()).isTrue();

        admin.trash().delete("default", queued(first), "two", deleted -> {});
        String second = run();
        admin.trash().restoreBatch("two", TIME);

        assertThat(store.holder(NAME)).as("the restored one runs without it").isEqualTo(second);
        assertThat(overlaps()).isTrue();
        assertThat(admin.queues().clear("default")).isEqualTo(2);
        assertThat(overlaps()).isFalse();
    }

    @Test
    void aRunOutlivesItsRecurringJobAndKeepsThoseOfTheRestoredOneAway() {
        save("plain", NEVER.overlap(Overlap.SKIP));
        String first = run();
        String copy = recurring.keep(NAME);
        recurring.delete(NAME);
        recurring.restore(NAME, copy);

        assertThat(store.holder(NAME)).isEqualTo(first);
        assertThat(overlaps()).isTrue();
    }

    @Test
    void aRunThatPeopleCancelKeepsOthersAwayUntilAWorkerHasSeenIt() {
        save("plain", NEVER.overlap(Overlap.SKIP));
        admin.cancel(run());
        assertThat(overlaps()).isTrue();

        bed.start(registry);
        awaitEnds(1);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.CANCELLED);
        assertThat(overlaps()).isFalse();
    }

    @Test
    void aRunIsOneThoughTheEarlierOneCannotBeCancelled() throws Exception {
        redis.texts().set("jobs:cancelled", "text");
        save("plain", NEVER.overlap(Overlap.CANCEL));
        run();

        String second = run();

        assertThat(store.holder(NAME)).isEqualTo(second);
        for (String each : List.of("a", "b")) {
            store.save(each, Recurrence.cron("* * * * *").overlap(Overlap.CANCEL), PLAIN, Map.of(), now);
        }
        poll(Duration.ofMinutes(1));
        poll(Duration.ofMinutes(1));
        assertThat(recurring.history("a")).hasSize(2);
        assertThat(recurring.history("b")).as("the others are fired, too").hasSize(2);
    }

    // Other features

    @Test
    void aParkedRunKeepsOthersAwayUntilItIsDeleted() throws Exception {
        bed.start(registry);
        bed.client(shop).enqueue("pack");
        assertThat(shop.begun.await(1, TimeUnit.MINUTES)).isTrue();
        save("pack", NEVER.overlap(Overlap.SKIP));
        String parked = run();
        await().atMost(PATIENCE).until(() -> admin.limits().parked() == 1);
        assertThat(overlaps()).isTrue();

        List<LimitedJob> waiting = admin.limits().findById(parked, ENOUGH).items();
        admin.trash().delete(waiting, "one", deleted -> {});
        assertThat(store.holder(NAME)).isNull();
        admin.trash().restoreBatch("one", TIME);

        assertThat(overlaps()).isTrue();
    }

    @Test
    void aRunOverItsTimeKeepsNoOtherAwayOnceItIsDead() {
        bed.start(registry);
        save("sleep", NEVER.overlap(Overlap.SKIP));
        run();
        awaitEnds(1);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.DEAD);
        assertThat(overlaps()).isFalse();
    }

    @Test
    void anIterationThatOverlapsIsCancelledBeforeItsNextElement() throws Exception {
        bed.start(registry);
        save("walk", NEVER.overlap(Overlap.CANCEL));
        String first = run();
        assertThat(shop.begun.await(1, TimeUnit.MINUTES)).isTrue();
        String second = run();
        bed.beat();
        await().atMost(PATIENCE)
                .until(() -> bed.ends.stream().anyMatch(each -> each.jid().equals(first)));
        shop.may.countDown();
        awaitEnds(2);

        assertThat(shop.ran).containsExactlyInAnyOrder(first + " 1", second + " 1", second + " 2");
        assertThat(store.holder(NAME)).isNull();
    }

    @Test
    void theBatchThatARunMadeKeepsNoOtherRunAway() {
        bed.start(registry);
        save("hand out", NEVER.overlap(Overlap.SKIP));
        run();
        awaitEnds(1);

        assertThat(redis.texts().llen("queue:elsewhere")).isEqualTo(1);
        assertThat(overlaps()).isFalse();
    }

    // At slots

    private Instant now = Instant.now().minus(Duration.ofHours(3));

    /** Makes what is due at a time, as the leader does. */
    private void poll(Duration later) throws InterruptedException {
        now = now.plus(later);
        RecurringConfig config = bed.config.recurring();
        process.roles = Set.of(RecurringPoller.role(config.namespace()));
        process.follow("me");
        new RecurringPoller(
                        store,
                        () -> new Snapshot(now, store.snapshot().stored()),
                        new RecurringDeclarations(store, JobRegistry.of(new Object()), config, new Random(1)),
                        JobRegistry.of(new Object()),
                        process.context,
                        config,
                        TIME)
                .runOnce();
    }

    @Test
    void aRunThatExpiresKeepsNoOtherAway() throws Exception {
        Payload draft = Payload.parse(
                "{\"retry\":true,\"queue\":\"default\",\"expires_in\":3600,\"class\":\"soon\",\"args\":[]}"
                        .getBytes(UTF_8));
        store.save(NAME, Recurrence.cron("* * * * *").overlap(Overlap.QUEUE), draft, Map.of(), now);
        poll(Duration.ofMinutes(1));
        poll(Duration.ofMinutes(1));
        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
        redis.texts().hset("cron_job:default:" + NAME, "status", "disabled"); // so that the engine fires none

        bed.start(registry);
        awaitEnds(1);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.EXPIRED);
        assertThat(store.holder(NAME)).isNull();
    }

    @Test
    void theDelayAfterADeletedRunBeginsWithItsDeletionAndAnewAfterARevivedOne() throws Exception {
        Duration delay = Duration.ofMinutes(10);
        store.save(NAME, Recurrence.delay(delay), PLAIN, Map.of(), now);
        poll(Duration.ZERO);
        poll(delay);
        String first = store.holder(NAME);
        assertThat(first).isNotNull();
        poll(delay.multipliedBy(2));
        admin.trash().delete("default", queued(first), "one", deleted -> {});
        poll(Duration.ofSeconds(1));
        poll(delay.minusSeconds(1));
        assertThat(redis.texts().llen("queue:default")).isZero();
        admin.trash().restoreBatch("one", TIME);
        poll(Duration.ofSeconds(1));
        poll(delay);
        assertThat(redis.texts().llen("queue:default")).as("it has not ended").isEqualTo(1);
        admin.queues().clear("default");
        poll(Duration.ofSeconds(1));
        poll(delay.minusSeconds(1));
        assertThat(redis.texts().llen("queue:default"))
                .as("the delay begins anew")
                .isZero();

        poll(Duration.ofSeconds(1));

        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
    }
}
