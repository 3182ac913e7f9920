package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.admin.Finding;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchStore.Correction;
import dev.jobs.batches.KeyedBatches.Lead;
import dev.jobs.client.ClientConfig;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Batches as administration shows them, without a worker. */
class BatchesAdminIT {

    private static final ScanBudget ENOUGH = new ScanBudget(100_000, Duration.ofSeconds(10));
    private static final Predicate<BatchStatus> ANY = batch -> true;

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    @AutoClose
    private final JobsAdmin jobs = admin(Clock.systemUTC());

    private final BatchesAdmin admin = jobs.batches();

    @AutoClose
    private final RedisJobClient client = new RedisJobClient(
            connections, JobRegistry.of(), JobHooks.none(), ClientConfig.defaults(), Clock.systemUTC(), new Random(42));

    @AutoClose
    private final RedisBatches batches = new RedisBatches(connections, client, new Random(43));

    private final BatchStore store = new BatchStore(connections.open("test"), connections.keys());
    private final BatchEnds ends =
            new BatchEnds(connections.open("test"), connections.keys(), BatchRetention.defaults());

    private static JobsAdmin admin(Clock clock) {
        return new JobsAdmin(connections, new DeadSetBounds(100, Duration.ofDays(1)), JobHooks.none(), clock);
    }

    private static Stream<JobCall> sales(int count) {
        return IntStream.range(0, count).mapToObj(i -> JobCall.named("Shop.sell", i));
    }

    private String create(String name, int count) {
        return create(name, batch -> batch.addAll(sales(count)));
    }

    private String create(String name, Consumer<BatchBuilder> content) {
        return batches.create(name, content);
    }

    /** Ends jobs as if workers had settled them. */
    private void end(String id, String outcome, String message, long... indexes) {
        Report report = new Report(message.isEmpty() ? "" : "\"" + message + "\"", new byte[0], "");
        List<Correction> marks = new ArrayList<>();
        for (long index : indexes) {
            marks.add(new Correction(index, "", outcome, report));
        }
        store.mark(id, marks);
    }

    private static long[] range(int from, int to) {
        return IntStream.range(from, to).asLongStream().toArray();
    }

    /** Does what the leader does for a batch. */
    private void look(String id) {
        ends.look(
                id,
                new BatchReader(connections.open("test"), connections.keys())
                        .find(id)
                        .orElseThrow()
                        .definition(),
                List.of(),
                true);
    }

    private BatchDetails details(String id) {
        return admin.find(id).orElseThrow();
    }

    private List<String> reasons(String id) {
        return admin.whyUnfinished(details(id), ENOUGH).reasons().stream()
                .map(Finding::code)
                .toList();
    }

    private static void process(String queue, int busy) {
        redis.texts().sadd("processes", "p");
        redis.texts().hset("p", "info", "{\"queues\":[\"" + queue + "\"],\"version\":\"jobs-1\"}");
        redis.texts().hset("p", Map.of("concurrency", "5", "busy", Integer.toString(busy)));
    }

    private static List<String> names(Page<BatchStatus> page) {
        return page.items().stream().map(BatchStatus::name).toList();
    }

    @Test
    void listsBatchesNewestFirstInPages() {
        for (int i = 0; i < 7; i++) {
            redis.texts().zadd("jobs:batches", i, create("b" + i, 1));
        }

        Page<BatchStatus> first = admin.list(false, ANY, 0, 3, ENOUGH);
        assertThat(names(first)).containsExactly("b6", "b5", "b4");
        assertThat(first.total()).isEqualTo(7);
        assertThat(first.next()).isEqualTo(3);
        Page<BatchStatus> last = admin.list(false, ANY, 6, 3, ENOUGH);
        assertThat(names(last)).containsExactly("b0");
        assertThat(last.next()).isEqualTo(-1);
        Page<BatchStatus> odd = admin.list(false, batch -> batch.name().matches("b[135]"), 0, 2, ENOUGH);
        assertThat(names(odd)).containsExactly("b5", "b3");
        assertThat(names(admin.list(false, batch -> batch.name().matches("b[135]"), odd.next(), 2, ENOUGH)))
                .containsExactly("b1");
        assertThatThrownBy(() -> admin.list(false, ANY, 0, 0, ENOUGH)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void listsOnlyUnfinishedBatches() {
        String over = create("over", 1);
        create("under way", 1);
        end(over, "done", "", 0);
        look(over);

        assertThat(names(admin.list(true, ANY, 0, 10, ENOUGH))).containsExactly("under way");
        assertThat(admin.list(false, ANY, 0, 10, ENOUGH).items()).hasSize(2);
    }

    @Test
    void skipsBatchesWhoseKeysHaveExpired() {
        create("kept", 1);
        redis.texts().zadd("jobs:batches", 9e15, "0123456789abcdef");

        Page<BatchStatus> page = admin.list(false, ANY, 0, 1, ENOUGH);
        assertThat(names(page)).containsExactly("kept");
        assertThat(admin.find("0123456789abcdef")).isEmpty();
        assertThat(admin.find("no id")).isEmpty();
    }

    @Test
    void stopsAListAtItsBudget() {
        for (int i = 0; i < 30; i++) {
            create("b" + i, 1);
        }

        Page<BatchStatus> page = admin.list(false, batch -> false, 0, 10, new ScanBudget(20, Duration.ofSeconds(5)));

        assertThat(page.partial()).isTrue();
        assertThat(page.next()).isEqualTo(20);
    }

    @Test
    void showsWhatWasDeterminedAtItsCreation() {
        String id = create("enroll", batch -> batch.describe("Campaign 11.11")
                .tags("seller:17")
                .createdBy("ann")
                .tolerateFailures()
                .keepResults()
                .keepFor(Duration.ofHours(2))
                .addAll(sales(2))
                .onFinish(JobCall.named("Shop.report", 11)));

        BatchDetails batch = details(id);

        assertThat(batch.status().tags()).containsExactly("seller:17");
        assertThat(batch.toleratesFailures()).isTrue();
        assertThat(batch.toleratesSkipped()).isFalse();
        assertThat(batch.keepsResults()).isTrue();
        assertThat(batch.keptFor()).isEqualTo(Duration.ofHours(2));
        assertThat(batch.staged()).isFalse();
        assertThat(batch.queues()).containsExactly("default");
        assertThat(batch.callbacks()).singleElement().satisfies(callback -> {
            assertThat(callback.event()).isEqualTo(BatchEvent.FINISHED);
            assertThat(callback.job().name()).isEqualTo("Shop.report");
            assertThat(callback.job().queue()).isEqualTo("default");
            assertThat(callback.state()).isNull();
        });
    }

    @Test
    void showsOneCellForEachJob() {
        String id = create("b", 6);
        end(id, "done", "", 0, 1);
        end(id, "failed", "no", 2);
        end(id, "dead", "broke", 4);

        BatchField field = admin.field(id, 0, 100);

        assertThat(field.cells()).isEqualTo("ssfqdq");
        assertThat(field.failing()).isEmpty();
        assertThat(field.perCell()).isEqualTo(1);
        assertThat(field.positions()).isEqualTo(6);
        assertThat(field.counts())
                .isEqualTo(Map.of(
                        BatchJobState.SUCCEEDED, 2L,
                        BatchJobState.FAILED, 1L,
                        BatchJobState.DEAD, 1L,
                        BatchJobState.ENQUEUED, 2L));
        assertThat(admin.field(id, 2, 3).cells()).isEqualTo("fqd");
        assertThat(admin.field(id, 100, 3).cells()).isEmpty();
        assertThat(admin.field("0123456789abcdef", 0, 3).positions()).isZero();
    }

    @Test
    void showsGapsAndJobsThatItsOwnJobsAdded() {
        String id;
        try (OpenBatch open = batches.open("import")) {
            id = open.id();
            open.add(0, JobCall.named("Shop.sell", 0));
            open.add(3, JobCall.named("Shop.sell", 3));
        }
        batches.batch(id).add(JobCall.named("Shop.sell", 9));

        BatchField field = admin.field(id, 0, 100);

        assertThat(field.cells()).isEqualTo("q..qq");
        assertThat(field.given()).isEqualTo(4);
        assertThat(admin.field(id, 4, 1).cells()).isEqualTo("q");
    }

    @LongTest
    @Test
    void putsNeighboursIntoOneCell() {
        String id = create("large", 25_000);
        end(id, "done", "", range(0, 500));
        end(id, "failed", "no", 7, 8, 9);
        end(id, "dead", "broke", 8, 900);
        redis.texts().setrange("jobs:batch:" + id + ":s", 8, "d");
        redis.texts().setrange("jobs:batch:" + id + ":s", 1_000, "?");

        BatchField field = admin.field(id, 0, BatchField.MOST_POSITIONS);

        assertThat(field.perCell()).isEqualTo(3);
        assertThat(field.cells()).hasSize(8_334).startsWith("ssss").endsWith("q");
        assertThat(field.failing()).hasSize(8_334).startsWith("..d.");
        assertThat(field.failing().charAt(300)).isEqualTo('d');
        assertThat(field.counts().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(24_999);
    }

    @Test
    void groupsFailuresByMessageApartFromNumbers() {
        String id = create("b", 20);
        end(id, "failed", "Product 4711 is not sold here", 0);
        end(id, "failed", "Product 4712 is not sold here", 1, 2);
        end(id, "retried", "java.io.IOException: reset", 3);
        end(id, "dead", "java.io.IOException: reset", 4);
        end(id, "skipped", "deleted", 5);
        end(id, "lost", "", 6);

        BatchFailures failures = admin.failures(details(id).status(), ENOUGH);

        assertThat(failures.looked()).isEqualTo(6);
        assertThat(failures.total()).isEqualTo(6);
        assertThat(failures.partial()).isFalse();
        assertThat(failures.groups())
                .extracting(BatchFailures.Group::message, BatchFailures.Group::count, BatchFailures.Group::retried)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("Product … is not sold here", 3L, 0L),
                        org.assertj.core.groups.Tuple.tuple("java.io.IOException: reset", 2L, 1L),
                        org.assertj.core.groups.Tuple.tuple("", 1L, 0L));
        assertThat(failures.groups().get(0).sample().index()).isZero();
    }

    @Test
    void stopsGroupingAtItsBudget() {
        String id = create("b", 2_000);
        end(id, "failed", "no", range(0, 2_000));

        BatchFailures failures = admin.failures(details(id).status(), new ScanBudget(1_000, Duration.ofSeconds(5)));

        assertThat(failures.looked()).isEqualTo(1_000);
        assertThat(failures.partial()).isTrue();
        assertThat(admin.jobs(id, java.util.Set.of(BatchJobState.FAILED), 1_997, 10)
                        .jobs())
                .extracting(BatchJob::index)
                .containsExactly(1_998L, 1_999L);
    }

    @Test
    void knowsTheBatchesAroundABatch() {
        String id = create("first", batch -> batch.addAll(sales(1))
                .child("pictures", child -> child.addAll(sales(2)))
                .then("second", next -> next.addAll(sales(1)).then("third", last -> last.addAll(sales(1)))));
        BatchFamily family = admin.family(details(id));

        assertThat(family.children()).extracting(BatchStatus::name).containsExactly("pictures");
        assertThat(family.after()).extracting(BatchStatus::name).containsExactly("second", "third");
        assertThat(family.partial()).isFalse();
        BatchFamily ofThird = admin.family(details(family.after().get(1).id()));
        assertThat(ofThird.before()).extracting(BatchStatus::name).containsExactly("first", "second");
        BatchFamily ofChild = admin.family(details(family.children().get(0).id()));
        assertThat(ofChild.ancestors()).extracting(BatchStatus::name).containsExactly("first");
    }

    @Test
    void saysThatJobsWaitInAQueueWithoutWorkers() {
        String id = create("b", 3);
        assertThat(reasons(id)).containsExactly("no-process", "unserved");
        process("other", 0);
        assertThat(reasons(id)).containsExactly("unserved");
        process("default", 0);
        assertThat(reasons(id)).containsExactly("queued");
        jobs.queues().pause("default");

        BatchWait wait = admin.whyUnfinished(details(id), ENOUGH);

        assertThat(wait.reasons()).extracting(Finding::code).containsExactly("paused");
        assertThat(wait.waiting()).hasSize(3).first().satisfies(job -> assertThat(
                        job.job().jid())
                .isEqualTo(id + "00000000"));
        assertThat(wait.partial()).isFalse();
    }

    @Test
    void saysInWhichQueueJobsWaitBehindManyOthers() {
        process("default", 0);
        create("others", 1_500);
        String id = create("b", 3);
        assertThat(reasons(id)).containsExactly("queued");
        OpenBatch open = batches.open("import");
        open.add(JobCall.named("Shop.sell", 0));
        open.commit();

        BatchWait wait = admin.whyUnfinished(details(open.id()), ENOUGH);

        assertThat(wait.reasons()).extracting(Finding::code).containsExactly("unreached");
        assertThat(wait.partial()).isTrue();
    }

    @Test
    void saysHowManyJobsWaitForTheirTime() {
        process("default", 0);
        String id = create(
                "b",
                batch -> batch.addAll(sales(2).map(job -> job.at(Instant.now().plus(Duration.ofHours(1))))));
        String other = create("other", 1);
        redis.texts().zadd("retry", 4e9, redis.texts().lindex("queue:default", 0));
        redis.texts().del("queue:default");

        BatchWait wait = admin.whyUnfinished(details(id), ENOUGH);

        assertThat(wait.reasons()).singleElement().satisfies(reason -> {
            assertThat(reason.code()).isEqualTo("scheduled");
            assertThat(reason.subject()).isEqualTo("2");
            assertThat(Long.parseLong(reason.values().get(0))).isGreaterThan(System.currentTimeMillis());
        });
        assertThat(wait.waiting()).hasSize(2);
        assertThat(reasons(other)).containsExactly("retry");
    }

    @Test
    void saysWhichJobsRun() {
        process("default", 1);
        String id = create("b", 1);
        String job = redis.texts().rpop("queue:default");
        redis.texts()
                .hset(
                        "p:work",
                        "t1",
                        "{\"queue\":\"default\",\"run_at\":1795237556,\"payload\":\"" + job.replace("\"", "\\\"")
                                + "\"}");

        BatchWait wait = admin.whyUnfinished(details(id), ENOUGH);

        assertThat(wait.reasons()).extracting(Finding::code).containsExactly("running");
        assertThat(wait.running())
                .singleElement()
                .satisfies(work -> assertThat(work.job().jid()).isEqualTo(id + "00000000"));
    }

    @Test
    void saysThatJobsAreNowhere() {
        process("default", 0);
        String id = create("b", 3);
        redis.texts().del("queue:default");

        assertThat(reasons(id)).containsExactly("nowhere");
    }

    @Test
    void saysThatItIsOpenAndClosesIt() {
        process("default", 0);
        OpenBatch open = batches.open("import");
        open.add(JobCall.named("Shop.sell", 0));
        open.close();
        assertThat(reasons(open.id())).containsExactly("open", "queued");
        try (JobsAdmin later = admin(Clock.fixed(Instant.now().plus(Duration.ofMinutes(11)), ZoneOffset.UTC))) {
            BatchDetails batch = later.batches().find(open.id()).orElseThrow();
            assertThat(batch.abandoned()).isTrue();
            assertThat(later.batches().whyUnfinished(batch, ENOUGH).reasons())
                    .extracting(Finding::code)
                    .startsWith("abandoned");
        }

        assertThat(admin.close(open.id())).isTrue();

        assertThat(admin.close(open.id())).isFalse();
        assertThat(details(open.id()).status().open()).isFalse();
        assertThat(reasons(open.id())).containsExactly("queued");
        end(open.id(), "done", "", 0);
        redis.texts().del("queue:default");
        assertThat(reasons(open.id())).containsExactly("noticed");
        look(open.id());
        assertThat(reasons(open.id())).isEmpty();
    }

    @Test
    void doesNotCloseABatchThatIsBeingCreated() {
        process("default", 0);
        store.create(Lead.none("0123456789abcdef"), BatchReader.NO_DEFINITION, true);

        assertThat(details("0123456789abcdef").staged()).isTrue();
        assertThat(reasons("0123456789abcdef")).containsExactly("staged");
        assertThat(admin.close("0123456789abcdef")).isFalse();
        assertThat(admin.close("fedcba9876543210")).isFalse();
    }

    @Test
    void saysThatItWaitsForOtherBatches() {
        process("default", 0);
        String id = create("first", batch -> batch.addAll(sales(1))
                .child("pictures", child -> child.addAll(sales(1)))
                .then("second", next -> next.addAll(sales(1))));
        String second = admin.family(details(id)).after().get(0).id();
        assertThat(reasons(id)).containsExactly("children", "queued");
        assertThat(reasons(second)).containsExactly("previous");
        end(id, "failed", "no", 0);
        end(admin.family(details(id)).children().get(0).id(), "done", "", 0);
        look(admin.family(details(id)).children().get(0).id());
        look(id);

        assertThat(reasons(second)).containsExactly("previous-failed");
    }

    @Test
    void saysThatACallbackHasNoWorker() {
        process("other", 0);
        String id = create("b", batch -> batch.addAll(sales(1)).onFinish(JobCall.named("Shop.report", 1)));
        redis.texts().del("queue:default");
        end(id, "done", "", 0);
        look(id);
        assertThat(reasons(id)).isEmpty();

        redis.texts().hset("jobs:batch:" + id, "c2", "q");

        assertThat(reasons(id)).containsExactly("callback-unserved");
    }

    @Test
    void knowsTheBatchOfAJob() {
        String id = create("b", batch -> batch.addAll(sales(2)).onFinish(JobCall.named("Shop.report", 1)));
        end(id, "failed", "no", 1);

        BatchMembership member = admin.membership(id + "00000001").orElseThrow();
        BatchMembership callback = admin.membership(id + "ffffff02").orElseThrow();

        assertThat(member.batch().name()).isEqualTo("b");
        assertThat(member.job()).isNotNull();
        assertThat(member.job().state()).isEqualTo(BatchJobState.FAILED);
        assertThat(member.job().messages()).containsExactly("no");
        assertThat(callback.callbackOf()).isEqualTo(BatchEvent.FINISHED);
        assertThat(callback.callbackState()).isNull();
        assertThat(admin.membership(id + "00000002")).isEmpty();
        assertThat(admin.membership(id + "ffffff09")).isEmpty();
        assertThat(admin.membership("0123456789abcdef00000000")).isEmpty();
        assertThat(admin.membership("no jid")).isEmpty();
    }
}
