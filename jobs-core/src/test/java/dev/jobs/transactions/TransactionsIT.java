package dev.jobs.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.jobs.BulkEndedException;
import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobHandle;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobResult.State;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.ClientTestBed;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs and batches wait for the end of a transaction that the test ends by hand. */
class TransactionsIT {

    @AutoClose
    static final ClientTestBed bed = new ClientTestBed();

    private final TestTransactions transactions = new TestTransactions();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private Instant time = ClientTestBed.NOW;
    private RedisJobClient client;
    private RedisBatches batches;

    /** At most one transaction at a time, begun and ended by the test. */
    private static final class TestTransactions implements Transactions {

        private @Nullable Map<Object, Work> works;

        @Override
        public @Nullable Transaction current() {
            Map<Object, Work> present = works;
            return present == null
                    ? null
                    : new Transaction() {
                        @Override
                        @SuppressWarnings("unchecked")
                        public <W extends Work> W work(Object owner, Supplier<W> created) {
                            return (W) present.computeIfAbsent(owner, none -> created.get());
                        }
                    };
        }

        void begin() {
            works = new LinkedHashMap<>();
        }

        private List<Work> end() {
            List<Work> all = List.copyOf(works.values());
            works = null;
            return all;
        }

        void commit() {
            end().forEach(Work::committed);
        }

        void rollBack() {
            end().forEach(work -> work.rollBackTo(0));
        }

        Work only() {
            assertThat(works).hasSize(1);
            return works.values().iterator().next();
        }
    }

    private final class Listener implements JobListener {
        @Override
        public void enqueued(String name, String queue, int count, boolean scheduled) {
            told.add(name + " " + count + (scheduled ? " scheduled" : ""));
        }

        @Override
        public void notStored(String name, String queue, int count) {
            told.add(name + " " + count + " not stored");
        }
    }

    @BeforeEach
    void open() {
        bed.clear();
        RedisConnections connections = bed.redis.connections("");
        client = client(connections);
        batches = new RedisBatches(connections, client, new Random(7));
    }

    @AfterEach
    void close() {
        batches.close();
        client.close();
    }

    private RedisJobClient client(RedisConnections connections) {
        InstantSource source = () -> time;
        return new RedisJobClient(
                new RedisJobStore(connections),
                ClientTestBed.registry(),
                JobHooks.none().with(JobListener.class, new Listener()),
                new ClientConfig(2_000, 10),
                source.withZone(ZoneOffset.UTC),
                new Random(42),
                transactions,
                null);
    }

    /** Also waits for what a commit leaves to others if Redis takes its time. */
    private void commit() {
        transactions.commit();
        client.awaitCommitted();
    }

    private static List<String> jids(List<String> stored) {
        return stored.stream()
                .map(payload ->
                        Payload.parse(payload.getBytes(StandardCharsets.UTF_8)).jid())
                .toList();
    }

    private static boolean isEmpty() {
        return bed.redis.texts().dbsize() == 0;
    }

    @Test
    void aSubmittedJobFollowsTheCommitAndCantBeAwaitedBefore() throws Exception {
        transactions.begin();
        JobHandle<Void> handle = client.submit("A", Void.class, 1);
        JobHandle<Void> now = client.now().submit("B", Void.class, 1);

        assertThat(handle.isAccepted()).isTrue();
        assertThatThrownBy(() -> handle.await(Duration.ofSeconds(30)))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("is stored when this transaction has committed");
        assertThat(now.await(Duration.ZERO).state()).isEqualTo(State.PENDING);
        commit();

        assertThat(jids(bed.queue("default"))).contains(handle.jid());
        assertThat(handle.await(Duration.ZERO).state()).isEqualTo(State.PENDING);
        transactions.begin();
        assertThat(handle.await(Duration.ZERO).state()).isEqualTo(State.PENDING); // another transaction
        transactions.rollBack();
    }

    @Test
    void aRefusedJobHasAHandleThatSaysSo() throws Exception {
        client.unique("k").enqueue("A", 1);

        JobHandle<Void> handle = client.unique("k").submit("A", Void.class, 1);

        assertThat(handle.isAccepted()).isFalse();
        assertThat(handle.await(Duration.ofSeconds(30)).state()).isEqualTo(State.REFUSED);
    }

    @Test
    void jobsFollowTheCommitInTheirOrder() {
        transactions.begin();
        List<String> jids = new ArrayList<>();
        jids.add(client.enqueue("A", 1));
        jids.addAll(client.enqueueAll(
                "B", IntStream.range(0, 25).mapToObj(i -> List.of(i)).toList()));
        jids.add(client.push(Map.of("class", "C", "args", List.of())));
        String other = client.queue("low").enqueue("D");
        assertThat(isEmpty()).isTrue();
        assertThat(told).isEmpty();

        commit();

        assertThat(jids(bed.queue("default"))).isEqualTo(jids).doesNotContainNull();
        assertThat(jids(bed.queue("low"))).containsExactly(other);
        assertThat(told).containsExactlyInAnyOrder("A 1", "B 9", "B 10", "B 6", "C 1", "D 1");
    }

    @Test
    void aRollbackDropsThem() {
        transactions.begin();
        assertThat(client.enqueue("A")).isNotNull();
        assertThat(client.enqueueAll("B", List.of(List.of(), List.of()))).hasSize(2);
        transactions.rollBack();

        assertThat(isEmpty()).isTrue();
        assertThat(told).isEmpty();
    }

    @Test
    void aRollbackToAMarkKeepsWhatCameBefore() {
        transactions.begin();
        String kept = client.enqueue("A");
        int mark = transactions.only().mark();
        client.enqueue("B");
        transactions.only().rollBackTo(mark);
        String after = client.enqueue("C");
        commit();

        assertThat(jids(bed.queue("default"))).containsExactly(kept, after);
    }

    @Test
    void aBulkCallThatFailsLeavesNone() {
        transactions.begin();
        String kept = client.enqueue("A");
        List<List<?>> arguments =
                new ArrayList<>(IntStream.range(0, 30).mapToObj(i -> List.of(i)).toList());
        arguments.add(null);
        assertThatThrownBy(() -> client.enqueueAll("B", arguments))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("element 31")
                .satisfies(
                        e -> assertThat(BulkEndedException.of(e).orElseThrow().jobs())
                                .extracting(BulkEndedException.BulkJob::state)
                                .containsOnly(BulkEndedException.State.NOT_STORED));
        commit();

        assertThat(jids(bed.queue("default"))).containsExactly(kept);
    }

    @Test
    void aJobThatCannotBeStoredIsRefusedAtItsCall() {
        transactions.begin();
        assertThatThrownBy(() -> client.enqueue("A", "x".repeat(2_000)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("2,000 are allowed");
        assertThatThrownBy(() -> client.enqueueAll("A", List.of(List.of("x".repeat(2_000)))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("2,000 are allowed");
        commit();

        assertThat(isEmpty()).isTrue();
    }

    @Test
    void aJobThatBecomesDueBeforeTheCommitGoesToItsQueue() {
        transactions.begin();
        String soon = client.in(Duration.ofSeconds(5)).enqueue("Soon", "x".repeat(1_860));
        String later = client.in(Duration.ofHours(5)).enqueue("Later");
        time = time.plusSeconds(10);
        commit();

        assertThat(jids(bed.queue("default"))).containsExactly(soon);
        assertThat(bed.queue("default").get(0)).contains("\"enqueued_at\":" + time.toEpochMilli());
        assertThat(jids(bed.scheduled())).containsExactly(later);
    }

    @Test
    void aClientThatIsToldNowDoesNotWait() {
        transactions.begin();
        String now = client.now().queue("low").enqueue("A");
        List<String> all = client.now().enqueueAll("B", List.of(List.of(), List.of()));

        assertThat(jids(bed.queue("low"))).containsExactly(now);
        assertThat(jids(bed.queue("default"))).isEqualTo(all);

        transactions.rollBack();
        assertThat(bed.queue("low")).hasSize(1);
    }

    @Test
    void aBatchOpensAfterTheCommit() {
        transactions.begin();
        String id = batches.create("enroll", batch -> {
            for (int i = 0; i < 1_500; i++) {
                batch.add(JobCall.named("A", i));
            }
            batch.child("child", child -> child.add(JobCall.named("B")));
        });
        assertThat(bed.queue("default")).isEmpty();
        assertThat(batches.find(id)).get().extracting(BatchStatus::open).isEqualTo(true);

        commit();

        assertThat(bed.queue("default")).hasSize(1_501);
        assertThat(batches.find(id)).get().extracting(BatchStatus::open).isEqualTo(false);
    }

    @Test
    void nothingOfABatchRunsThatIsCancelledBeforeTheCommit() {
        transactions.begin();
        String id = batches.create("enroll", batch -> batch.add(JobCall.named("A"))
                .child("child", child -> child.add(JobCall.named("B")))
                .then("next", next -> next.add(JobCall.named("C"))));
        assertThat(batches.cancel(id)).isTrue();

        commit();

        assertThat(bed.queue("default")).isEmpty();
        List<String> counters = bed.redis.texts().zrange("jobs:batches", 0, -1).stream()
                .filter(each -> !each.equals(id))
                .map(each -> "jobs:batch:" + each)
                .toList();
        assertThat(counters)
                .hasSize(2)
                .allSatisfy(key ->
                        assertThat(bed.redis.texts().ttl(key)).as("expires").isPositive());
    }

    @Test
    void aRolledBackBatchLeavesNothing() {
        transactions.begin();
        String id = batches.create("enroll", batch -> batch.add(JobCall.named("A"))
                .child("child", child -> child.add(JobCall.named("B")))
                .then("next", next -> next.add(JobCall.named("C"))));
        transactions.rollBack();

        assertThat(batches.find(id)).isEmpty();
        assertThat(isEmpty()).isTrue();
    }

    @Test
    void aRolledBackBatchWithAKeyIsCreatedByTheNextCall() {
        transactions.begin();
        String first = batches.create("enroll", "k", batch -> batch.add(JobCall.named("A")));
        transactions.rollBack();
        assertThat(bed.queue("default")).isEmpty();

        transactions.begin();
        String second = batches.create("enroll", "k", batch -> batch.add(JobCall.named("A")));
        commit();

        assertThat(second).isEqualTo(first);
        assertThat(bed.queue("default")).hasSize(1);
    }

    @Test
    void aBatchWhoseContentFailsLeavesNothing() {
        transactions.begin();
        assertThatThrownBy(() -> batches.create("enroll", batch -> {
                    batch.add(JobCall.named("A"));
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        commit();

        assertThat(isEmpty()).isTrue();
    }

    @Test
    @LongTest
    void whatRedisDidNotTakeInTimeIsStoredOnceLater() {
        try (RedisFixture own = RedisFixture.start();
                RedisJobClient slow = client(own.connections("", Duration.ofSeconds(3)))) {
            slow.enqueue("Warm");
            transactions.begin();
            List<String> jids = slow.enqueueAll(
                    "A", IntStream.range(0, 25).mapToObj(i -> List.of(i)).toList());
            own.stop();
            transactions.commit();
            own.startAgain();

            await().untilAsserted(
                            () -> assertThat(own.texts().llen("queue:default")).isEqualTo(jids.size()));
            List<String> stored = new ArrayList<>(own.texts().lrange("queue:default", 0, -1));
            Collections.reverse(stored);
            assertThat(jids(stored)).isEqualTo(jids);
            await().untilAsserted(() -> assertThat(told).contains("A 10", "A 5"));
            assertThat(told).noneMatch(line -> line.contains("not stored"));
        }
    }

    /** They hold connections to the database, which others wait for. */
    @Test
    @Timeout(60)
    void aSilentRedisHoldsUpNoTransaction() throws Exception {
        try (RedisFixture own = RedisFixture.start()) {
            RedisConnections connections = own.connections("", Duration.ofMinutes(5));
            RedisJobClient slow = client(connections);
            RedisBatches slowBatches = new RedisBatches(connections, slow, new Random(7));
            List<String> jids = new ArrayList<>();
            transactions.begin();
            jids.add(slow.enqueue("A"));
            transactions.commit();
            transactions.begin();
            slow.enqueue("B");
            slowBatches.create("dropped", batch -> batch.add(JobCall.named("B")));
            Process stop = new ProcessBuilder("kill", "-STOP", "" + own.pid()).start();
            assertThat(stop.waitFor()).isZero();
            transactions.rollBack();
            for (int i = 0; i < 40; i++) {
                transactions.begin();
                jids.add(slow.enqueue("A", i));
                transactions.commit();
            }
            new ProcessBuilder("kill", "-CONT", "" + own.pid()).start().waitFor();

            slow.awaitCommitted();
            assertThat(jids(own.texts().lrange("queue:default", 0, -1))).containsExactlyInAnyOrderElementsOf(jids);
            assertThat(own.texts().keys("jobs:batch*")).isEmpty();
            slowBatches.close();
            slow.close();
        }
    }

    @Test
    void jobsOfCommittedTransactionsThatWaitAreBounded() throws Exception {
        CommittedWork work = new CommittedWork(Duration.ofMillis(100), Duration.ofSeconds(30));
        CountDownLatch end = new CountDownLatch(1);
        try (work) {
            work.begin("", () -> await().until(() -> end.getCount() == 0));
            int taken = work.takeRoom("", 1, 40_000_000);
            assertThat(taken).isPositive();
            assertThat(work.takeRoom("", 10_000, 0)).isEqualTo(10_000);

            assertThat(work.takeRoom("", 1, 40_000_000)).as("Redis is silent").isZero();
            assertThat(work.takeRoom("another shard", 1, 40_000_000)).isEqualTo(taken);
            assertThat(work.takeRoom("a third", 1_000_000, 0))
                    .as("all there is")
                    .isGreaterThan(taken);
            work.giveRoom("", taken);
            assertThat(work.takeRoom("", 1, 40_000_000)).isEqualTo(taken);
            end.countDown();
        }
    }

    @Test
    @Timeout(60)
    void jobsThatAreGivenUpLeaveTheirRoomToOthers() {
        try (RedisJobClient hasty = client(bed.redis.connections("", Duration.ofMillis(50)))) {
            CommittedWork work = hasty.committed().work();
            bed.redis.texts().configSet("maxmemory", "1");
            transactions.begin();
            hasty.enqueueAll("A", Collections.nCopies(25, List.of()));
            transactions.commit();
            await().until(() -> told.size() == 3);
            assertThat(told).containsExactly("A 10 not stored", "A 10 not stored", "A 5 not stored");

            CompletableFuture<Integer> room = new CompletableFuture<>();
            work.later("", () -> room.complete(work.takeRoom("", 1_000_000, 0))); // after them

            assertThat(room.join()).as("all there is").isEqualTo(work.takeRoom("another shard", 1_000_000, 0));
        } finally {
            bed.redis.texts().configSet("maxmemory", "0");
        }
    }

    @Test
    void manyJobsKeepTheirOrderThoughTheServerHasForgottenTheScript() {
        bed.redis.texts().scriptFlush();
        transactions.begin();
        List<String> jids = client.enqueueAll("A", Collections.nCopies(200, List.of()));
        commit();

        client.awaitCommitted();
        assertThat(jids(bed.queue("default"))).isEqualTo(jids);
    }

    @Test
    void whatCannotBeStoredIsReported() {
        try (RedisFixture own = RedisFixture.start();
                RedisJobClient slow = client(own.connections("", Duration.ofMillis(500)))) {
            awaitStored(slow, "Warm");
            transactions.begin();
            slow.enqueueAll(
                    "A", IntStream.range(0, 25).mapToObj(i -> List.of(i)).toList());
            own.stop();
            transactions.commit();

            await().untilAsserted(() -> assertThat(told)
                    .containsExactlyInAnyOrder("Warm 1", "A 10 not stored", "A 10 not stored", "A 5 not stored"));
            own.startAgain();
            awaitStored(slow, "After");
        }
    }

    @Test
    void anOutageIsToldAtItsBeginningAndEndAndEachGivenUpJobOnce() {
        try (RedisFixture own = RedisFixture.start();
                RedisJobClient slow = client(own.connections("", Duration.ofMillis(500)));
                LogLines lines = LogLines.ofPackage("dev.jobs.transactions").open()) {
            awaitStored(slow, "Warm");
            own.stop();
            List<String> jids = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                transactions.begin();
                jids.add(slow.enqueue("A"));
                transactions.commit();
            }
            await().until(() -> lines.messages(Level.ERROR).size() >= jids.size());
            slow.awaitCommitted();
            assertThat(lines.messages(Level.ERROR)).hasSameSizeAs(jids);
            assertThat(jids).allSatisfy(jid -> assertThat(lines.messages(Level.ERROR))
                    .filteredOn(line -> line.contains(jid))
                    .singleElement()
                    .asString()
                    .startsWith("1 job of a committed transaction is given up, and is not stored: A " + jid));

            own.startAgain();
            awaitStored(slow, "After");
            transactions.begin();
            slow.enqueue("A");
            transactions.commit();
            await().until(() -> lines.messages().stream().anyMatch(line -> line.contains("again after")));

            assertThat(lines.events())
                    .filteredOn(event -> event.getLevel() != Level.ERROR)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .satisfiesExactly(
                            first -> assertThat(first)
                                    .contains("are sent again for 1.5 s after their commit, and then given up"),
                            last -> assertThat(last).endsWith("Sent again: 5 jobs. Given up: 5 jobs"));
        }
    }

    /** On a busy machine a call may take longer than the client waits. */
    private static void awaitStored(RedisJobClient client, String job) {
        await().ignoreExceptionsInstanceOf(JobStoreException.class).until(() -> client.enqueue(job) != null);
    }
}
