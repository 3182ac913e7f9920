package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobRegistry;
import dev.jobs.admin.Finding;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Order;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.QueueInfo.OrderedBy;
import dev.jobs.admin.ScanBudget;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.limits.Limit;
import dev.jobs.limits.LimitedJob;
import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRules;
import dev.jobs.ordered.OrderedJobs;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import dev.jobs.trash.Trash;
import dev.jobs.unique.Unique;
import dev.jobs.unique.Unique.OnConflict;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said of jobs that wait for something else than a thread, and the trash for those that are parked. */
class WaitReasonsIT {

    private static final ScanBudget ENOUGH = new ScanBudget(1_000, Duration.ofSeconds(5));
    private static final Duration LONG = Duration.ofSeconds(10);

    private static final OrderRules RULES = new OrderRules(Map.of(
            "imports", OrderRule.fair(), "mail", OrderRule.priority(Duration.ofMinutes(1)), "old", OrderRule.none()));

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final RedisConnections connections = redis.connections(new RedisKeys("", RULES), Duration.ofSeconds(5));
    private final Shops shops = new Shops();
    private EngineTestBed bed;
    private RedisJobClient client;
    private JobsAdmin admin;

    static final class Shops {

        final Queue<String> ran = new ConcurrentLinkedQueue<>();
        final CountDownLatch gate = new CountDownLatch(1);

        @Job("sync")
        @Limit(name = "shop", key = "{0}", concurrency = 1)
        void sync(String shop, String id) throws InterruptedException {
            ran.add(id);
            gate.await();
        }

        @Job("plain")
        void plain(String shop) {}

        @Job("latest")
        @Unique(key = "{0}", onConflict = OnConflict.REPLACE)
        void latest(String shop) {}

        @Job("report")
        @Unique(key = "{0}", until = Unique.Until.EXPIRY, onConflict = OnConflict.LATER)
        void report(String shop) {}
    }

    @BeforeEach
    void open() {
        redis.flush();
        bed = new EngineTestBed(redis, connections);
        client = new RedisJobClient(
                connections,
                JobRegistry.of(shops),
                bed.hooks(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new SecureRandom());
        admin = new JobsAdmin(connections, new DeadSetBounds(100, Duration.ofDays(1)), bed.hooks(), Clock.systemUTC());
    }

    @AfterEach
    void close() {
        shops.gate.countDown();
        bed.close();
        client.close();
        admin.close();
    }

    private List<ListedJob> in(String queue) {
        return admin.queues()
                .jobs(queue, Order.OLDEST_FIRST, job -> true, 0, 10, ENOUGH)
                .items();
    }

    private ListedJob scheduled() {
        return admin.sets()
                .jobs(JobSet.SCHEDULED, job -> true, 0, 1, ENOUGH)
                .items()
                .get(0);
    }

    private List<String> codes(ListedJob job) {
        return admin.whyWaiting(job).stream().map(Finding::code).toList();
    }

    private Finding reason(ListedJob job, String code) {
        return admin.whyWaiting(job).stream()
                .filter(each -> each.code().equals(code))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aReplacedJobIsSaidNeverToRun() {
        client.enqueue("latest", "a");
        String later = client.enqueue("latest", "a");

        List<ListedJob> jobs = in("default");

        assertThat(reason(jobs.get(0), "replaced")).satisfies(why -> {
            assertThat(why.subject()).isEqualTo(later);
            assertThat(why.message()).startsWith("Job " + later + " has its lock");
        });
        assertThat(codes(jobs.get(1))).doesNotContain("replaced");
    }

    @Test
    void aJobOfACancelledBatchIsSaidNotToRun() {
        try (RedisBatches batches = new RedisBatches(connections, client, new SecureRandom())) {
            String id = batches.create("shops", batch -> batch.add(JobCall.of(Shops::plain, "a")));
            assertThat(codes(in("default").get(0))).doesNotContain("batch-cancelled");

            batches.cancel(id);

            assertThat(reason(in("default").get(0), "batch-cancelled")).satisfies(why -> {
                assertThat(why.subject()).isEqualTo(id);
                assertThat(why.message()).contains("without being run");
            });
        }
    }

    @Test
    void aCancelledAndAnExpiredJobAreSaidNotToRun() {
        String jid = client.expiresIn(Duration.ofMinutes(1)).enqueue("Send");
        assertThat(codes(in("default").get(0))).doesNotContain("cancelled", "expired");

        client.cancel(jid);

        assertThat(reason(in("default").get(0), "cancelled").message()).contains("without being run");
        try (JobsAdmin later = new JobsAdmin(
                connections,
                new DeadSetBounds(100, Duration.ofDays(1)),
                bed.hooks(),
                Clock.offset(Clock.systemUTC(), Duration.ofMinutes(2)))) {
            assertThat(later.whyWaiting(in("default").get(0)))
                    .extracting(Finding::code)
                    .contains("expired", "cancelled");
        }
    }

    @Test
    void jobsThatWaitForTheEndOfALockOrOfCallsAreExplained() {
        client.enqueue("report", "a");
        client.enqueue("report", "a");

        assertThat(codes(scheduled())).startsWith("scheduled", "lock").doesNotContain("debounced");

        redis.flush();
        client.debounce("a", Duration.ofMinutes(1), Duration.ofHours(1)).enqueue("Reindex", "a");

        assertThat(reason(scheduled(), "debounced").values()).containsExactly("60000");
        assertThat(codes(scheduled())).startsWith("scheduled", "debounced").doesNotContain("lock");
    }

    @Test
    void ordinaryScheduledJobsWaitForTheirTimeAlone() {
        client.in(Duration.ofHours(1)).enqueue("latest", "a");

        assertThat(codes(scheduled())).containsExactly("scheduled", "unserved");
    }

    @Test
    void theTurnOfAJobIsExplained() {
        client.queue("imports").key("a").enqueue("Import", 1);
        client.queue("imports").enqueue("Import", 2);
        redis.texts().lpush("queue:imports", "{\"class\":\"Import\",\"queue\":\"imports\",\"jid\":\"x\",\"args\":[]}");
        client.queue("mail").priority(7).enqueue("Mail");
        client.queue("old").enqueue("Mail");

        List<ListedJob> jobs = in("imports");

        assertThat(codes(jobs.get(0))).containsExactly("unserved", "before-order", "next");
        assertThat(reason(jobs.get(1), "turns").values()).containsExactly("a");
        assertThat(reason(jobs.get(1), "behind").subject()).isEqualTo("1");
        assertThat(codes(jobs.get(2))).containsExactly("unserved", "turns-without-key", "behind");
        assertThat(reason(in("mail").get(0), "priority").values()).containsExactly("7");
        assertThat(codes(in("old").get(0))).containsExactly("unserved", "before-order", "next");
    }

    @Test
    void jobsInOrderAreShownWithTheirQueue() {
        for (int i = 0; i < 3; i++) {
            client.queue("imports").key("a").enqueue("Import", i);
        }
        client.queue("imports").key("b").enqueue("Import", 0);
        client.queue("imports").enqueue("Import", 0);
        client.queue("mail").priority(7).enqueue("Mail");
        redis.texts().lpush("queue:imports", "{\"class\":\"Import\",\"queue\":\"imports\",\"jid\":\"x\",\"args\":[]}");

        assertThat(admin.ordered().jobs("imports"))
                .isEqualTo(new OrderedJobs(
                        5,
                        3,
                        List.of(new OrderedJobs.Key("a", 3), new OrderedJobs.Key("b", 2), new OrderedJobs.Key("", 2))));
        assertThat(admin.ordered().jobs("mail")).isEqualTo(new OrderedJobs(1, 0, List.of()));
        assertThat(admin.ordered().jobs("default")).isEqualTo(OrderedJobs.NONE);
        assertThat(admin.ordered().jobs("old")).isEqualTo(OrderedJobs.NONE);
        assertThat(admin.queues().named(List.of("imports", "mail", "old", "default")))
                .extracting(QueueInfo::orderedBy)
                .containsExactly(OrderedBy.FAIR, OrderedBy.PRIORITY, OrderedBy.NONE, null);
        assertThat(admin.stats().enqueued()).isEqualTo(7);
        assertThat(admin.queues().named(List.of("imports")).get(0).size()).isEqualTo(6);
    }

    @Test
    void ofManyKeysThoseWithTheLongestWayAreNamed() {
        for (int i = 0; i < 30; i++) {
            client.queue("imports").key("k" + i).enqueue("Import", i);
        }
        client.queue("imports").key("k7").enqueue("Import", 7);

        OrderedJobs ordered = admin.ordered().jobs("imports");

        assertThat(ordered.keys()).isEqualTo(30);
        assertThat(ordered.longest()).hasSize(20).first().isEqualTo(new OrderedJobs.Key("k7", 3));
    }

    private LimitedJob parked() {
        return admin.limits().waiting("shop", "a", 0, 1).items().get(0);
    }

    private void park() {
        bed.start(shops);
        client.enqueue("sync", "a", "first");
        await().until(() -> shops.ran.contains("first"));
        client.enqueue("sync", "a", "second");
        await().until(() -> redis.texts().zcard("jobs:parked:shop") == 1);
    }

    @Test
    void aParkedJobWaitsForItsLimitAndThenForItsQueue() {
        park();
        assertThat(admin.whyWaiting(parked())).extracting(Finding::code).containsSubsequence("limited", "next");

        admin.queues().pause("default");
        client.cancel(String.valueOf(parked().job().jid()));

        assertThat(admin.whyWaiting(parked()))
                .extracting(Finding::code)
                .containsSubsequence("cancelled", "paused", "limited", "next");
    }

    @Test
    void aParkedJobIsFoundAtItsAddress() {
        park();
        LimitedJob job = parked();

        assertThat(admin.limits().findAt("shop", "a", job.address()))
                .get()
                .extracting(LimitedJob::job)
                .isEqualTo(job.job());
        assertThat(admin.limits().findAt("shop", "b", job.address())).isEmpty();
        assertThat(admin.limits()
                        .findAt("shop", "a", "0000000000000000_" + job.job().digest()))
                .isEmpty();
        assertThat(admin.limits().findAt("shop", "a", "")).isEmpty();
    }

    @LongTest
    @Test
    void oneOfManyParkedJobsOfABulkCallIsFound() {
        bed.start(shops);
        client.enqueueAll(
                "sync",
                IntStream.range(0, 350).mapToObj(i -> List.of("a", "b" + i)).toList());
        await().until(() -> redis.texts().zcard("jobs:parked:shop") == 349);

        for (LimitedJob each : admin.limits().waiting("shop", "a", 250, 99).items()) {
            assertThat(admin.limits().findAt("shop", "a", each.address()))
                    .get()
                    .extracting(LimitedJob::job)
                    .isEqualTo(each.job());
        }
    }

    @Test
    void aDeletedParkedJobComesBackToItsLimit() {
        park();
        LimitedJob job = parked();

        Trash.Deleted deleted = admin.trash().delete(List.of(job), "one", soFar -> {});

        assertThat(deleted).isEqualTo(new Trash.Deleted(1, 0, 1));
        assertThat(admin.trash().delete(List.of(job), "two", soFar -> {})).isEqualTo(new Trash.Deleted(0, 1, 0));
        assertThat(admin.trash().jobs(0, 10).items()).singleElement().satisfies(each -> assertThat(each.job())
                .isEqualTo(job.job()));
        assertThat(redis.texts().exists("jobs:parked:shop")).isZero();

        assertThat(admin.trash().restoreBatch("one", LONG).done()).isEqualTo(1);

        await().until(() -> redis.texts().zcard("jobs:parked:shop") == 1);
        assertThat(parked().address()).isEqualTo(job.address());
        shops.gate.countDown();
        await().until(() -> shops.ran.contains("second"));
        bed.awaitDrained("default");
        assertThat(bed.books().conservationError()).isZero();
    }
}
