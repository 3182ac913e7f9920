package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.BatchEndedException;
import dev.jobs.BatchEvent;
import dev.jobs.BatchJob;
import dev.jobs.BatchJob.Progress;
import dev.jobs.BatchJobState;
import dev.jobs.BatchStatus;
import dev.jobs.BatchStatus.State;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Masked;
import dev.jobs.OpenBatch;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.RedisBatches;
import dev.jobs.client.RedisJobClient;
import dev.jobs.testing.RedisFixture;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches from their creation to their callbacks, with engines that run their jobs. */
class BatchesIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final Shop shop = new Shop();
    private EngineTestBed bed;
    private RedisJobClient client;
    private RedisBatches batches;

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
        client = new RedisJobClient(
                bed.connections(),
                JobRegistry.of(shop),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new SecureRandom());
        batches = new RedisBatches(bed.connections(), client, new SecureRandom());
        bed.batches = batches;
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        shop.gate.countDown();
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
        batches.close();
        client.close();
        bed.close();
    }

    /** The jobs, and what ran. */
    static final class Shop {

        final List<String> ran = new CopyOnWriteArrayList<>();
        final Map<String, Integer> failuresLeft = new ConcurrentHashMap<>();
        final CountDownLatch gate = new CountDownLatch(1);
        final CountDownLatch working = new CountDownLatch(1);

        @Job("enroll")
        String enroll(int product) {
            if (product % 5 == 4) {
                throw new JobFailedException("Product " + product + " is not sold here");
            }
            ran.add("enroll " + product);
            return "enrolled " + product;
        }

        @Job("charge")
        void charge(String customer, @Masked String card, JobContext job) {
            job.message("Charging " + card);
            throw new JobFailedException("The card " + card + " of " + customer + " is void");
        }

        @Job(value = "break", retry = 0)
        void breakDown(String what) {
            if (failuresLeft.merge(what, -1, Integer::sum) >= 0) {
                throw new IllegalStateException(what + " broke");
            }
            ran.add("break " + what);
        }

        @Job(value = "flaky", retry = 25)
        void flaky() {
            throw new IllegalStateException("not now");
        }

        @Job("report")
        void report(String event, JobContext job) {
            BatchStatus status = job.batch().orElseThrow().status();
            ran.add(event + " of " + status.name() + ": " + status.succeeded() + " of " + status.total());
        }

        @Job("sum")
        void sum(JobContext job) {
            ran.add("results "
                    + job.batch().orElseThrow().results().map(BatchJob::result).toList());
        }

        @Job("grow")
        void grow(int more, JobContext job) {
            for (int i = 0; i < more; i++) {
                job.batch().orElseThrow().add(JobCall.of(Shop::enroll, 100 * (i + 1)));
            }
            job.batch().orElseThrow().child("pictures", child -> child.add(JobCall.of(Shop::enroll, 1_000))
                    .onSuccess(JobCall.of(Shop::report, "child's success")));
        }

        @Job("cancelled")
        void untilCancelled(JobContext job) {
            await().until(job::isCancelled);
        }

        @Job("waits")
        void waits(JobContext job) throws InterruptedException {
            job.progress(3, 10);
            job.message("checked");
            working.countDown();
            gate.await();
            ran.add("waited");
        }
    }

    private BatchStatus finished(String id) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> batches.find(id).orElseThrow().isFinished());
        return batches.find(id).orElseThrow();
    }

    @Test
    void runsAllJobsAndCallsBack() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.describe("Campaign 11.11")
                .tags("seller:17")
                .createdBy("ann")
                .addAll(IntStream.range(0, 10).mapToObj(product -> JobCall.of(Shop::enroll, product)))
                .onAttempted(JobCall.of(Shop::report, "attempted"))
                .onFinish(JobCall.of(Shop::report, "finished"))
                .onSuccess(JobCall.of(Shop::report, "succeeded")));

        BatchStatus status = finished(id);

        assertThat(status.total()).isEqualTo(10);
        assertThat(status.succeeded()).isEqualTo(8);
        assertThat(status.failed()).isEqualTo(2);
        assertThat(status.state()).isEqualTo(State.FINISHED);
        assertThat(status.tags()).containsExactly("seller:17");
        assertThat(status.events()).containsOnlyKeys(BatchEvent.ATTEMPTED, BatchEvent.FINISHED);
        assertThat(batches.jobs(id, Set.of(BatchJobState.FAILED), -1, 100).jobs())
                .extracting(BatchJob::index, BatchJob::messages)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(4L, List.of("Product 4 is not sold here")),
                        org.assertj.core.groups.Tuple.tuple(9L, List.of("Product 9 is not sold here")));
        await().untilAsserted(() -> assertThat(shop.ran)
                .contains("attempted of enroll: 8 of 10", "finished of enroll: 8 of 10")
                .doesNotContain("succeeded of enroll: 8 of 10"));
    }

    @Test
    void messagesDoNotContainMaskedArguments() {
        bed.start(shop);
        String id = batches.create("charge", batch -> batch.add(JobCall.of(Shop::charge, "Ann", "4711-0815")));

        finished(id);

        assertThat(batches.jobs(id, Set.of(), -1, 10).jobs())
                .singleElement()
                .extracting(BatchJob::messages)
                .isEqualTo(List.of("Charging •••", "The card ••• of Ann is void"));
    }

    @Test
    void toleratedFailuresSucceed() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.tolerateFailures()
                .add(JobCall.of(Shop::enroll, 4))
                .onSuccess(JobCall.of(Shop::report, "succeeded")));

        assertThat(finished(id).state()).isEqualTo(State.SUCCEEDED);
        await().untilAsserted(() -> assertThat(shop.ran).containsExactly("succeeded of enroll: 0 of 1"));
    }

    @Test
    void anEmptyBatchSucceeds() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.onSuccess(JobCall.of(Shop::report, "succeeded")));

        assertThat(finished(id).state()).isEqualTo(State.SUCCEEDED);
        await().untilAsserted(() -> assertThat(shop.ran).containsExactly("succeeded of enroll: 0 of 0"));
    }

    @Test
    void nothingRunsIfTheContentThrows() {
        bed.start(shop);
        assertThatThrownBy(() -> batches.create("enroll", batch -> {
                    batch.add(JobCall.of(Shop::enroll, 1));
                    throw new IllegalStateException("no products");
                }))
                .hasMessage("no products");

        assertThat(redis.texts().keys("jobs:batch*")).isEmpty();
        assertThat(shop.ran).isEmpty();
    }

    @Test
    void theSameKeyCreatesOneBatch() {
        bed.start(shop);
        String first = batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 1)));
        String second = batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 1)));

        assertThat(second).isEqualTo(first);
        assertThat(finished(first).total()).isEqualTo(1);
        assertThat(batches.create("enroll", "12.12", batch -> batch.add(JobCall.of(Shop::enroll, 1))))
                .isNotEqualTo(first);
    }

    @Test
    void aStreamGoesOnUnderItsKey() {
        bed.start(shop);
        try (OpenBatch fill = batches.open("import", "file 1")) {
            fill.addAll(IntStream.range(0, 700).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row)));
        }
        BatchStatus half = batches.find(idOf("import", "file 1")).orElseThrow();
        assertThat(half.total()).isEqualTo(700);
        await().until(() -> batches.find(half.id()).orElseThrow().succeeded() == 700);
        assertThat(batches.find(half.id()).orElseThrow().state()).isEqualTo(State.FILLING);

        try (OpenBatch fill = batches.open("import", "file 1")) {
            fill.addAll(IntStream.range(0, 1_000).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row)));
            fill.commit();
        }

        BatchStatus status = finished(half.id());
        assertThat(status.total()).isEqualTo(1_000);
        assertThat(status.succeeded()).isEqualTo(1_000);
        assertThat(shop.ran).hasSize(1_000);
        assertThatThrownBy(() -> batches.open("import", "file 1")).isInstanceOf(BatchEndedException.class);
    }

    private String idOf(String name, String key) {
        try (OpenBatch same = batches.open(name, key)) {
            return same.id();
        }
    }

    @Test
    void aDeathKeepsItFromSucceedingUntilTheJobIsRevived() {
        shop.failuresLeft.put("printer", 1);
        bed.start(shop);
        String id = batches.create("print", batch -> batch.add(JobCall.of(Shop::breakDown, "printer"))
                .add(JobCall.of(Shop::breakDown, "scanner"))
                .onDeath(JobCall.of(Shop::report, "died"))
                .onFinish(JobCall.of(Shop::report, "finished"))
                .onSuccess(JobCall.of(Shop::report, "succeeded")));

        BatchStatus status = finished(id);
        assertThat(status.dead()).isEqualTo(1);
        assertThat(status.events()).containsOnlyKeys(BatchEvent.DIED, BatchEvent.ATTEMPTED, BatchEvent.FINISHED);

        assertThat(batches.retryDead(id)).isEqualTo(1);

        await().until(() -> batches.find(id).orElseThrow().state() == State.SUCCEEDED);
        await().untilAsserted(() -> assertThat(shop.ran)
                .containsOnlyOnce("died of print: 1 of 2", "finished of print: 1 of 2", "succeeded of print: 2 of 2"));
    }

    @Test
    void aBatchGrowsAndWaitsForItsChildrenAndTheirCallbacks() {
        bed.start(shop);
        String id = batches.create(
                "grow", batch -> batch.add(JobCall.of(Shop::grow, 3)).onSuccess(JobCall.of(Shop::report, "succeeded")));

        BatchStatus status = finished(id);

        assertThat(status.total()).isEqualTo(4);
        assertThat(status.children()).isEqualTo(1);
        await().untilAsserted(() -> assertThat(shop.ran).contains("succeeded of grow: 4 of 4"));
        assertThat(shop.ran).containsSubsequence("child's success of pictures: 1 of 1", "succeeded of grow: 4 of 4");
        assertThat(batches.jobs(id, Set.of(), -1, 100).jobs())
                .extracting(BatchJob::index)
                .containsExactly(0L, 1L << 31, (1L << 31) + 1, (1L << 31) + 2);
    }

    @Test
    void theNextBatchOpensWhenTheFirstSucceeds() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.add(JobCall.of(Shop::enroll, 1))
                .onSuccess(JobCall.of(Shop::report, "succeeded"))
                .then("mail", next -> next.add(JobCall.of(Shop::enroll, 2))
                        .onSuccess(JobCall.of(Shop::report, "mailed"))));

        String next = finished(id).next();
        assertThat(finished(next).state()).isEqualTo(State.SUCCEEDED);
        await().untilAsserted(() -> assertThat(shop.ran)
                .containsExactly("enroll 1", "succeeded of enroll: 1 of 1", "enroll 2", "mailed of mail: 1 of 1"));
    }

    @Test
    void aFailureKeepsTheNextBatchClosed() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.add(JobCall.of(Shop::enroll, 4))
                .then("mail", next -> next.add(JobCall.of(Shop::enroll, 2))));

        String next = finished(id).next();

        assertThat(batches.find(next).orElseThrow().state()).isEqualTo(State.WAITING);
        await().until(() -> redis.texts().ttl("jobs:batch:" + next) > 0);
        assertThat(shop.ran).isEmpty();
    }

    @Test
    void resultsReachTheCallback() {
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.keepResults()
                .add(JobCall.of(Shop::enroll, 1))
                .add(JobCall.of(Shop::enroll, 2))
                .onSuccess(JobCall.of(Shop::sum)));

        finished(id);

        await().untilAsserted(() -> assertThat(shop.ran).contains("results [\"enrolled 1\", \"enrolled 2\"]"));
    }

    @Test
    void aRunningJobIsSeenAtWork() throws InterruptedException {
        bed.start(shop);
        String id = batches.create("wait", batch -> batch.add(JobCall.of(Shop::waits)));
        shop.working.await();

        await().untilAsserted(() -> assertThat(
                        batches.jobs(id, Set.of(BatchJobState.WORKING), -1, 10).jobs())
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.progress()).isEqualTo(new Progress(3, 10));
                    assertThat(job.messages()).containsExactly("checked");
                }));
        shop.gate.countDown();

        finished(id);
        assertThat(batches.jobs(id, Set.of(BatchJobState.SUCCEEDED), -1, 10).jobs())
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.progress()).isNull();
                    assertThat(job.messages()).containsExactly("checked");
                });
    }

    @Test
    void aCancelledBatchSkipsWhatWaits() {
        bed.config = EngineConfig.of(1, "default");
        bed.start(shop);
        String id = batches.create("wait", batch -> batch.add(JobCall.of(Shop::untilCancelled))
                .addAll(IntStream.range(0, 50).mapToObj(product -> JobCall.of(Shop::enroll, product)))
                .onFinish(JobCall.of(Shop::report, "finished")));
        await().until(() -> batches.find(id).orElseThrow().total() == 51);

        assertThat(batches.cancel(id)).isTrue();

        BatchStatus status = finished(id);
        assertThat(status.state()).isEqualTo(State.CANCELLED);
        assertThat(status.skipped()).isEqualTo(50);
        assertThat(batches.cancel(id)).isTrue();
    }

    @Test
    void cancellingRemovesJobsThatWaitForTheirTime() {
        bed.start(shop);
        String id = batches.create("wait", batch -> batch.add(JobCall.of(Shop::flaky))
                .add(JobCall.of(Shop::enroll, 1).at(Instant.now().plus(Duration.ofDays(1)))));
        await().until(() -> redis.texts().zcard("retry") == 1);
        await().until(() -> redis.texts().zcard("schedule") == 1);

        batches.cancel(id);

        assertThat(finished(id).skipped()).isEqualTo(2);
        assertThat(redis.texts().zcard("retry") + redis.texts().zcard("schedule"))
                .isZero();
    }

    @Test
    void nothingIsAddedToACancelledBatch() {
        bed.start(shop);
        OpenBatch fill = batches.open("import");
        fill.add(JobCall.of(Shop::enroll, 1));
        fill.flush();
        batches.cancel(fill.id());

        fill.add(JobCall.of(Shop::enroll, 2));
        assertThatThrownBy(fill::flush)
                .isInstanceOf(BatchEndedException.class)
                .hasMessage("Batch " + fill.id() + " is cancelled; nothing was added");
        assertThat(finished(fill.id()).total()).isEqualTo(1);
    }

    @Test
    void whatADeletedBatchLeftIsNotTakenForItsSuccessors() {
        bed.start(shop);
        String id = batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 1)));
        finished(id);
        redis.texts().del("jobs:batch:" + id);

        assertThat(batches.create("enroll", "11.11", batch -> batch.add(JobCall.of(Shop::enroll, 2))))
                .isEqualTo(id);

        assertThat(finished(id).succeeded()).isEqualTo(1);
        assertThat(shop.ran).containsExactly("enroll 1", "enroll 2");
    }

    @Test
    void creatorsWithTheSameKeyCreateOneBatchThatStays() {
        String id = batches.create("import", "file 1", outer -> {
            outer.addAll(IntStream.range(0, 600).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row)));
            batches.create(
                    "import",
                    "file 1",
                    inner -> inner.addAll(IntStream.range(0, 700).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row))));
            outer.addAll(IntStream.range(600, 800).mapToObj(row -> JobCall.of(Shop::enroll, 5 * row)));
        });

        assertThat(redis.texts().keys("jobs:batch:" + id + "*"))
                .allSatisfy(key -> assertThat(redis.texts().ttl(key)).isEqualTo(-1));
        assertThat(redis.texts().llen("queue:default")).isEqualTo(700);
        bed.start(shop);
        assertThat(finished(id).succeeded()).isEqualTo(700);
    }

    @Test
    void aCreatorThatFailsLeavesWhatAnotherOneCreated() {
        assertThatThrownBy(() -> batches.create("import", "file 1", outer -> {
                    outer.add(JobCall.of(Shop::enroll, 1));
                    batches.create("import", "file 1", inner -> inner.add(JobCall.of(Shop::enroll, 1)));
                    throw new IllegalStateException("no more rows");
                }))
                .hasMessage("no more rows");

        String id = batches.create("import", "file 1", batch -> {});
        bed.start(shop);
        assertThat(finished(id).succeeded()).isEqualTo(1);
    }

    @Test
    void aBatchThatWaitsForOneWithoutSuccessExpiresWithItsJobsAndStaysIfThatSucceedsAfterAll() {
        shop.failuresLeft.put("printer", 1);
        bed.start(shop);
        String id = batches.create("print", batch -> batch.add(JobCall.of(Shop::breakDown, "printer"))
                .then("mail", next -> next.add(JobCall.of(Shop::waits))
                        .then("bill", last -> last.add(JobCall.of(Shop::enroll, 2)))));
        String mail = finished(id).next();
        String bill = batches.find(mail).orElseThrow().next();

        for (String waiting : List.of(mail, bill)) {
            await().untilAsserted(() -> assertThat(redis.texts().keys("jobs:batch:" + waiting + "*"))
                    .contains("jobs:batch:" + waiting + ":h:default")
                    .allSatisfy(key -> assertThat(redis.texts().ttl(key)).isPositive()));
        }
        assertThat(batches.retryDead(id)).isEqualTo(1);

        await().untilAsserted(() ->
                assertThat(batches.find(mail).orElseThrow().state()).isEqualTo(State.RUNNING));
        for (String kept : List.of(mail, bill)) {
            await().untilAsserted(() -> assertThat(redis.texts().keys("jobs:batch:" + kept + "*"))
                    .allSatisfy(key -> assertThat(redis.texts().ttl(key)).isEqualTo(-1)));
        }
        shop.gate.countDown();
        assertThat(finished(bill).state()).isEqualTo(State.SUCCEEDED);
    }

    @Test
    void batchesWhoseCallbackCannotBeEnqueuedDoNotHoldUpOthers() {
        redis.texts().set("queue:reports", "no list");
        List<String> stuck = IntStream.range(0, 101)
                .mapToObj(i -> batches.create(
                        "stuck",
                        batch -> batch.onFinish(
                                JobCall.of(Shop::report, "finished").queue("reports"))))
                .toList();
        stuck.forEach(id -> redis.texts().zadd("jobs:batches:rest", 1, id));
        bed.start(shop);
        String id = batches.create("enroll", batch -> batch.add(JobCall.of(Shop::enroll, 1)));

        assertThat(finished(id).state()).isEqualTo(State.SUCCEEDED);
        redis.texts().del("queue:reports");
        stuck.forEach(this::finished);
    }
}
