package dev.jobs.retries;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.RetryRule;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.RunResult;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.client.ClientConfig;
import dev.jobs.ends.JobTimeoutException;
import dev.jobs.iterations.Iteration;
import dev.jobs.limiters.OverLimitException;
import dev.jobs.testing.RedisFixture;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Retry rules beside what else decides about a job; batches and locks are in {@link RetryIT}. */
class RetryPairsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration TIME = Duration.ofSeconds(5);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Shop shop = new Shop();
    private final JobRegistry jobs = JobRegistry.of(shop);
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private RedisJobClient client;
    private JobsAdmin admin;

    static final class Shop {

        final List<String> ran = new CopyOnWriteArrayList<>();
        final CountDownLatch begun = new CountDownLatch(1);

        @Job("load")
        @Retry(delay = "100s", multiplier = 2)
        void load() {
            ran.add("load");
            throw new IllegalStateException("no answer");
        }

        @Job(value = "patient", retryFor = 3600)
        void patient() {
            throw new IllegalStateException("no answer");
        }

        @Job(value = "pack", concurrency = 1)
        @Retry(delay = "1h")
        void pack(boolean fails) {
            ran.add("pack " + fails);
            if (fails) {
                throw new IllegalStateException("no box");
            }
        }

        @Job(value = "sleep", timeout = "100ms", timeoutRetry = false)
        @Retry(delay = "1h")
        void sleep() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Job(value = "doze", timeout = "100ms")
        @Retry(delay = "1h", excludes = JobTimeoutException.class)
        void doze() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Job("watch")
        @Retry(delay = "1h")
        void watch(JobContext job) {
            begun.countDown();
            await().atMost(PATIENCE).until(job::isCancelled);
            throw new IllegalStateException("half done");
        }

        @Job("crowded")
        @Retry(delay = "1h")
        void crowded() {
            throw new OverLimitException("erp", Duration.ofDays(1));
        }

        @Job("walk")
        @Retry(delay = "1h", excludes = IOException.class)
        Iteration<String> walk(String last) {
            return Iteration.over(List.of("a", "b", last)).each(element -> {
                ran.add(element + (ran.contains(element) ? " again" : ""));
                if (element.equals("c") && !ran.contains("c again")) {
                    throw new IllegalStateException("no way");
                }
                if (element.equals("closed")) {
                    throw new UncheckedIOException(new IOException("closed"));
                }
            });
        }
    }

    @BeforeEach
    void decide() {
        RetryDecisions decisions = new RetryDecisions(
                jobs,
                named -> {
                    throw new AssertionError("no annotation names a policy");
                },
                new Random(1));
        bed.policies.add((payload, count, failure) -> {
            asked.add(payload.name());
            return decisions.decide(payload, count, failure);
        });
        client = bed.client(shop);
        admin = bed.admin();
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    private void awaitEnds(int count) {
        bed.awaitEnds(count);
        bed.awaitDrained("default");
    }

    private static byte[] only(String set) {
        List<byte[]> found = redis.bytes().zrange(set.getBytes(UTF_8), 0, -1);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static double secondsLeft() {
        List<String> time = redis.texts().time();
        return redis.texts().zrangeWithScores("retry", 0, -1).get(0).getScore() - Long.parseLong(time.get(0));
    }

    private static Payload queued() {
        List<byte[]> found = redis.bytes().lrange("queue:default".getBytes(UTF_8), 0, -1);
        assertThat(found).hasSize(1);
        return Payload.parse(found.get(0));
    }

    @Test
    void theNumberOfACallComesBeforeTheTimeOfTheAnnotation() {
        client.retry(0).enqueue("patient");
        assertThat(queued().names()).doesNotContain("retry_for");
        bed.start(jobs);
        awaitEnds(1);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.DEAD);
    }

    @Test
    void theTimeOfACallOrOfTheAnnotationStaysBesideARuleOfDelays() {
        client.retry(RetryRule.after(TIME)).enqueue("patient");
        assertThat(queued().get("retry_for")).isEqualTo(3600L);
        redis.flush();

        client.retry(3).with("retry_for", 60).enqueue("patient");
        assertThat(queued().get("retry_for")).isEqualTo(60L);
        redis.flush();

        client.retry(3).push(Map.of("class", "patient", "args", List.of(), "retry_for", 60));
        assertThat(queued().get("retry_for")).isEqualTo(60L);
    }

    @Test
    void aRetryAfterTheJobHasExpiredIsNotRun() {
        redis.texts()
                .zadd(
                        "retry",
                        1,
                        payload(
                                "load",
                                "late",
                                "[]",
                                "\"queue\":\"default\",\"retry\":3,\"retry_count\":0,\"expires_in\":1,\"expiry\":2.5"));
        bed.start(jobs);
        bed.awaitEnds(1);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.EXPIRED);
        assertThat(shop.ran).isEmpty();
    }

    @Test
    void noRuleIsAskedAboutACancelledJob() throws Exception {
        bed.start(jobs);
        String jid = client.enqueue("watch");
        assertThat(shop.begun.await(1, TimeUnit.MINUTES)).isTrue();
        client.cancel(String.valueOf(jid));
        bed.beat();
        awaitEnds(1);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.CANCELLED);
        assertThat(asked).isEmpty();
    }

    @Test
    void aTimeoutThatMayNotBeRetriedComesBeforeTheRule() {
        bed.start(jobs);
        client.enqueue("sleep");
        client.enqueue("doze");
        awaitEnds(2);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.DEAD, Ending.DEAD);
        assertThat(asked).containsExactly("doze");
    }

    @Test
    void aJobThatWaitsForItsRetryHasGivenItsPermitBack() {
        client.enqueue("pack", true);
        client.enqueue("pack", false);
        bed.start(jobs);
        awaitEnds(2);

        assertThat(shop.ran).containsExactly("pack true", "pack false");
        assertThat(secondsLeft()).isBetween(3500.0, 3601.0);
    }

    @Test
    void theRuleDecidesOnceALimiterHasTurnedAJobAwayTooOften() {
        bed.push("default", payload("crowded", "j20", "[]", "\"retry\":3", "\"overrated\":20"));
        client.enqueue("crowded");
        bed.start(jobs);
        awaitEnds(2);

        assertThat(asked).containsExactly("crowded");
        assertThat(Payload.parse(only("retry")).jid()).isEqualTo("j20");
        assertThat(secondsLeft()).isBetween(3500.0, 3601.0);
    }

    @Test
    void anIterationGoesOnWithTheElementThatFailedUnlessItIsNotToBeRetried() {
        bed.start(jobs);
        client.enqueue("walk", "c");
        awaitEnds(1);
        assertThat(admin.sets().runNow(JobSet.RETRY, only("retry"))).isEqualTo(RunResult.ENQUEUED);
        awaitEnds(2);
        assertThat(shop.ran).containsExactly("a", "b", "c", "c again");

        shop.ran.clear();
        client.enqueue("walk", "closed");
        awaitEnds(3);

        assertThat(shop.ran).containsExactly("a", "b", "closed");
        assertThat(only("dead")).isNotEmpty();
    }

    @Test
    void aRunThatPeopleWantedMakesTheNextDelayNoLonger() {
        bed.start(jobs);
        client.enqueue("load");
        awaitEnds(1);
        assertThat(secondsLeft()).isBetween(90.0, 101.0);
        admin.sets().runNow(JobSet.RETRY, only("retry"));
        awaitEnds(2);
        assertThat(secondsLeft()).isBetween(90.0, 101.0);
    }

    @Test
    void theRuleOfACallStaysInAJobThatIsDeletedRestoredMovedAndRevived() {
        client.retry(RetryRule.after(Duration.ofMinutes(50)).maxRetries(7)).enqueue("load");
        bed.start(jobs);
        awaitEnds(1);
        byte[] stored = only("retry");
        double due = redis.texts().zscore("retry", new String(stored, UTF_8));
        assertThat(admin.sets().all(JobSet.RETRY).trash("one").done()).isEqualTo(1);
        admin.trash().restoreBatch("one", TIME);
        assertThat(only("retry")).isEqualTo(stored);
        assertThat(redis.texts().zscore("retry", new String(stored, UTF_8))).isEqualTo(due);
        admin.sets().kill(JobSet.RETRY, stored);
        admin.sets().runNow(JobSet.DEAD, only("dead"));
        awaitEnds(2);

        assertThat(Payload.parse(only("retry")).integer("retry")).isEqualTo(7);
        assertThat(secondsLeft()).isBetween(2990.0, 3001.0);
    }

    @Test
    void theRuleOfACallGoesThroughTheOutbox() {
        List<Outbox.Entry> kept = new ArrayList<>();
        Outbox outbox = new Outbox() {
            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void keep(List<Entry> jobs) {
                kept.addAll(jobs);
            }

            @Override
            public void keepBatch(String id, byte[] commit) {
                throw new AssertionError("there is no batch");
            }

            @Override
            public void committed() {}
        };
        Map<Object, Transactions.Work> works = new LinkedHashMap<>();
        Transactions open = () -> new Transactions.Transaction() {
            @Override
            @SuppressWarnings("unchecked")
            public <W extends Transactions.Work> W work(Object owner, Supplier<W> created) {
                return (W) works.computeIfAbsent(owner, none -> created.get());
            }
        };
        try (RedisJobClient waiting = new RedisJobClient(
                new RedisJobStore(bed.connections()),
                jobs,
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new Random(1),
                open,
                outbox)) {
            waiting.retry(RetryRule.after(TIME).maxRetries(7)).enqueue("load");
            works.values().forEach(Transactions.Work::committing);
        }

        assertThat(kept).hasSize(1);
        assertThat(RetryRule.of(Payload.parse(kept.get(0).payload()))).isNotNull();
    }
}
