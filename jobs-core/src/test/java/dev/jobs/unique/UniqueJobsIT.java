package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.ClientTestBed;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisProxy;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What callers learn of unique jobs, and which locks their calls take. */
class UniqueJobsIT {

    @AutoClose
    static final ClientTestBed bed = new ClientTestBed();

    @RegisterExtension
    private final LogLines lines = LogLines.of(Duplicates.class);

    static class Shops {
        @Job("sync")
        @Unique(key = "shop:{shop}")
        void sync(long shop, String reason) {}

        @Job(value = "load", aliases = "fetch")
        @Unique(until = Until.START, forAtMost = "90s")
        void load(long shop, Map<String, Object> options) {}

        @Job("strict")
        @Unique(key = "{0}", onConflict = OnConflict.ERROR)
        void strict(long shop) {}

        @Job("both")
        @Unique(key = "{0}:{1}")
        void both(String shop, String part) {}

        @Job("cities")
        @Unique
        void cities(Set<String> cities) {}

        @Job("plain")
        void plain(long shop) {}
    }

    private RedisJobClient client;

    @BeforeEach
    void listen() {
        client = bed.client(Shops.class);
    }

    @AfterEach
    void empty() {
        bed.clear();
    }

    private static String lock(String job, String key) {
        return "unique:" + UniqueRule.digest(job, key);
    }

    private String holder(String job, String key) {
        return bed.redis.texts().get(lock(job, key));
    }

    private List<String> logged() {
        return lines.messages();
    }

    @Test
    void aDuplicateIsNotStoredAndALineNamesTheHolder() {
        String first = client.enqueue("sync", 5, "form");

        assertThat(client.enqueue(Shops::sync, 5L, "nightly")).isNull();
        assertThat(client.enqueue("sync", 6, "form")).isNotNull();

        assertThat(bed.queue("default")).hasSize(2);
        assertThat(holder("sync", "shop:5")).isEqualTo(first);
        assertThat(bed.redis.texts().pttl(lock("sync", "shop:5"))).isBetween(86_000_000L, 86_400_000L);
        assertThat(logged())
                .singleElement()
                .asString()
                .matches("Job sync \\(jid [0-9a-f]{24}\\) is a duplicate and not stored: job " + first
                        + " holds its lock");
    }

    @Test
    void theOrderOfASetMakesNoOtherLock() {
        String first = client.enqueue(Shops::cities, new LinkedHashSet<>(List.of("oslo", "rome")));

        assertThat(client.enqueue(Shops::cities, new LinkedHashSet<>(List.of("rome", "oslo"))))
                .isNull();
        assertThat(client.enqueue("cities", List.of("rome", "oslo"))).isNull();
        assertThat(client.enqueue(Shops::cities, Set.of("rome"))).isNotNull();
        assertThat(holder("cities", "[[\"oslo\",\"rome\"]]")).isEqualTo(first);
    }

    @Test
    void otherArgumentsMakeAnotherLock() {
        String first = client.enqueue(Shops::both, "x:y", "z");

        assertThat(client.enqueue(Shops::both, "x", "y:z")).isNotNull();
        assertThat(client.enqueue(Shops::both, "x:y", "z")).isNull();
        assertThat(holder("both", "\"x:y\":z")).isEqualTo(first);
    }

    @Test
    void aDebouncedJobSharesNothingWithAUniqueOne() {
        client.debounce("k", Duration.ofMinutes(1), Duration.ofHours(1)).enqueue("Ruby::Sync", 1);

        assertThat(client.unique("debounce\nk").enqueue("Ruby::Sync", 2)).isNotNull();
        assertThat(Payload.parse(bed.queue("default").get(0).getBytes(UTF_8)).text("unique_lock"))
                .isNotEqualTo(
                        Payload.parse(bed.scheduled().get(0).getBytes(UTF_8)).text(Debounce.KEY));
    }

    @Test
    void thePayloadSaysWhatTheLockIs() {
        client.enqueue("sync", 5, "form");
        client.enqueue("load", 5, Map.of());

        assertThat(Payload.parse(bed.queue("default").get(0).getBytes(UTF_8)).asMap())
                .containsEntry("unique_for", 86_400L)
                .containsEntry("unique_until", "success")
                .containsEntry("unique_lock", UniqueRule.digest("sync", "shop:5"));
        assertThat(Payload.parse(bed.queue("default").get(1).getBytes(UTF_8)).asMap())
                .containsEntry("unique_for", 90L)
                .containsEntry("unique_until", "start")
                .containsEntry("unique_lock", UniqueRule.digest("load", "[5,{}]"));
    }

    @Test
    void withoutAKeyAllArgumentsCountInWhateverOrderTheirMembersAre() {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("a", 1);
        one.put("b", "x");
        Map<String, Object> same = new LinkedHashMap<>();
        same.put("b", "x");
        same.put("a", 1);

        assertThat(client.enqueue("load", 5, one)).isNotNull();
        assertThat(client.enqueue("load", 5, same)).isNull();
        assertThat(client.enqueue("fetch", 5, same)).as("an alias").isNull();
        assertThat(client.enqueue("load", 5, Map.of("a", 2))).isNotNull();
        assertThat(client.push(Map.of("class", "load", "args", List.of(5, one))))
                .isNull();
    }

    @Test
    void aCallMayNameTheKeyItself() {
        assertThat(client.unique("x").enqueue("plain", 1)).isNotNull();
        assertThat(client.unique("x").enqueue("plain", 2)).isNull();
        assertThat(client.enqueue("plain", 2)).isNotNull();
        assertThat(client.unique("x").enqueue("nobody knows it", 2)).isNotNull();
        assertThat(client.unique("shop:9").enqueue("sync", 1, "form")).isNotNull();
        assertThat(client.enqueue("sync", 9, "form")).as("the same key").isNull();
        assertThat(client.unique("y").with("unique_for", 600).enqueue("plain", 1))
                .isNotNull();
        assertThat(bed.redis.texts().pttl(lock("plain", "y"))).isBetween(1L, 600_000L);
    }

    @Test
    void aConflictMayBeAnError() {
        String first = client.enqueue("strict", 5);

        assertThatThrownBy(() -> client.enqueue("strict", 5))
                .isInstanceOfSatisfying(
                        DuplicateJobException.class, e -> assertThat(e.holder()).isEqualTo(first))
                .hasMessageContaining("is a duplicate and not stored: job " + first + " holds its lock");
        assertThatThrownBy(() -> client.push(Map.of("class", "strict", "args", List.of(5))))
                .isInstanceOf(DuplicateJobException.class);
        assertThat(client.enqueueAll("strict", List.of(List.of(5), List.of(6))))
                .satisfiesExactly(
                        jid -> assertThat(jid).isNull(), jid -> assertThat(jid).isNotNull());
        assertThat(bed.queue("default")).hasSize(2);
    }

    @Test
    void manyCallsWithOneKeyAreOneLine() {
        client.enqueue("sync", 5, "form");
        client.enqueue("sync", 6, "form");

        for (int call = 0; call < 100; call++) {
            assertThat(client.enqueue("sync", 5, "form")).isNull();
            assertThat(client.enqueue("sync", 6, "form")).isNull();
        }

        assertThat(logged()).hasSize(2);
    }

    @Test
    void aBulkCallStoresOneOfEachKeyAndLogsOneLine() {
        List<List<Object>> arguments = IntStream.range(0, 1_000)
                .mapToObj(i -> List.<Object>of(i % 10, "call " + i))
                .toList();

        List<String> jids = client.enqueueAll("sync", arguments);

        assertThat(jids).hasSize(1_000);
        assertThat(jids.subList(0, 10)).doesNotContainNull();
        assertThat(jids.subList(10, 1_000)).containsOnlyNulls();
        assertThat(bed.queue("default")).hasSize(10);
        assertThat(logged())
                .singleElement()
                .asString()
                .contains(" jobs are duplicates and not stored; the first one: Job sync");
    }

    @Test
    void aMemberOfTheCallerThatIsNoLockIsRefused() {
        assertThatThrownBy(() -> client.with("unique_lock", "no digest").enqueue("plain", 1))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("its 'unique_lock' must be 1 to 64 letters, digits and the characters - _");
        assertThatThrownBy(() -> client.with("unique_for", 0).enqueue("sync", 1, ""))
                .isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> client.with("unique_until", "later").enqueue("sync", 1, ""))
                .isInstanceOf(InvalidJobException.class);
        client.with("unique_for", false).enqueue("plain", 1); // Ruby's, without a lock
        assertThat(bed.redis.texts().keys("unique:*")).isEmpty();
    }

    @Test
    void theWaysThatAskForNoLocksRefuseUniqueJobs() {
        RedisConnections connections = bed.redis.connections("");
        try (RedisBatches batches = new RedisBatches(connections, client, new Random(7));
                RedisRecurringJobs recurring = new RedisRecurringJobs(
                        connections,
                        ClientTestBed.registry(Shops.class),
                        JobHooks.none(),
                        ClientConfig.defaults(),
                        new Random(42),
                        "default")) {
            assertThatThrownBy(() -> batches.create("b", batch -> batch.add(JobCall.of(Shops::sync, 5L, "form"))))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("it is unique, and a batch stores jobs without asking for locks");
            assertThatThrownBy(() -> batches.create(
                            "b", batch -> batch.add(JobCall.named("plain", 5).unique("x"))))
                    .isInstanceOf(InvalidJobException.class);
            assertThatThrownBy(
                            () -> recurring.save("r", Recurrence.cron("0 2 * * *"), JobCall.named("sync", 5, "form")))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("it is unique, and a recurring job stores jobs without asking for locks");
        }
        assertThat(bed.queue("default")).isEmpty();
        assertThat(bed.redis.texts().keys("unique:*")).isEmpty();
    }

    /** One transaction, ended by the test. */
    private static final class OneTransaction implements Transactions {

        private final Map<Object, Work> works = new LinkedHashMap<>();

        @Override
        public Transaction current() {
            return new Transaction() {
                @Override
                @SuppressWarnings("unchecked")
                public <W extends Work> W work(Object owner, Supplier<W> created) {
                    return (W) works.computeIfAbsent(owner, none -> created.get());
                }
            };
        }
    }

    private RedisJobClient inTransaction(Transactions transactions, @Nullable Outbox outbox) {
        return client(transactions, outbox, 43);
    }

    private RedisJobClient client(Transactions transactions, @Nullable Outbox outbox, long seed) {
        return new RedisJobClient(
                new RedisJobStore(bed.redis.connections("")),
                ClientTestBed.registry(Shops.class),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new Random(seed),
                transactions,
                outbox);
    }

    @Test
    void inATransactionALineTellsAfterTheCommit() {
        OneTransaction transaction = new OneTransaction();
        try (RedisJobClient waiting = inTransaction(transaction, null)) {
            String first = waiting.enqueue("strict", 5);
            assertThat(waiting.enqueue("strict", 5))
                    .as("known after the commit")
                    .isNotNull();
            assertThat(bed.redis.texts().keys("unique:*")).isEmpty();

            transaction.works.values().forEach(Transactions.Work::committed);
            waiting.awaitCommitted();

            assertThat(bed.queue("default")).hasSize(1);
            assertThat(holder("strict", "5")).isEqualTo(first);
            assertThat(logged()).singleElement().asString().contains("job " + first + " holds its lock");
        }
    }

    @Test
    void theOutboxRefusesUniqueJobsUnlessTheyLeaveAtOnce() {
        Outbox outbox = new Outbox() {
            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void keep(List<Entry> jobs) {
                throw new AssertionError("kept");
            }

            @Override
            public void keepBatch(String id, byte[] commit) {
                throw new AssertionError("kept");
            }

            @Override
            public void committed() {}
        };
        try (RedisJobClient waiting = inTransaction(new OneTransaction(), outbox)) {
            assertThatThrownBy(() -> waiting.enqueue("sync", 5, "form"))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining(
                            "it is unique, and the outbox stores jobs without asking for locks; enqueue it through now()");
            assertThatThrownBy(() -> waiting.enqueueAll("sync", List.of(List.of(5, "form"))))
                    .isInstanceOf(InvalidJobException.class);
            assertThat(waiting.now().enqueue("sync", 5, "form")).isNotNull();
        }
        assertThat(bed.queue("default")).hasSize(1);
    }

    @Test
    void aPushThatIsRepeatedKeepsTheLockOfItsFirstCopy() {
        try (RedisProxy proxy = new RedisProxy(bed.redis.port())) {
            RedisJobClient through = bed.client(
                    bed.redis.connections("", proxy.port()),
                    JobHooks.none(),
                    ClientConfig.defaults(),
                    Clock.systemUTC(),
                    Shops.class);
            through.enqueue("sync", 4, "form");
            proxy.loseAnswers(2);

            String jid = through.enqueue("sync", 5, "form");

            assertThat(holder("sync", "shop:5")).isEqualTo(jid);
            assertThat(bed.queue("default")).hasSize(2);
            assertThat(through.enqueue("sync", 5, "form")).isNull();
        }
    }

    @Test
    void ofProducersThatRaceOneWins() throws Exception {
        int producers = 4;
        int keys = 300;
        List<Future<List<String>>> results = new ArrayList<>();
        List<RedisJobClient> clients = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(producers);
        try {
            CountDownLatch start = new CountDownLatch(producers);
            for (int i = 0; i < producers; i++) {
                RedisJobClient each = client(Transactions.NONE, null, i);
                clients.add(each);
                List<String> jids = new ArrayList<>();
                results.add(threads.submit(() -> {
                    start.countDown();
                    start.await();
                    for (int key = 0; key < keys; key++) {
                        jids.add(each.enqueue("sync", key, "race"));
                    }
                    return jids;
                }));
            }
            List<List<String>> all = new ArrayList<>();
            for (Future<List<String>> each : results) {
                all.add(each.get());
            }
            for (int key = 0; key < keys; key++) {
                int index = key;
                assertThat(all.stream().map(jids -> jids.get(index)).filter(Objects::nonNull))
                        .containsExactly(holder("sync", "shop:" + key));
            }
            assertThat(bed.queue("default")).hasSize(keys);
        } finally {
            threads.shutdownNow();
            clients.forEach(RedisJobClient::close);
        }
    }

    @Test
    void aJobWithoutALockSendsWhatItSentBefore() {
        client.enqueue("plain", 1);
        client.enqueue("sync", 1, "form");
        client.enqueue("sync", 2, "form");

        assertThat(Arrays.asList(bed.redis.texts().get("jobs:unique"))).containsExactly("1");
        bed.clear();
        bed.client(Shops.class).enqueue("plain", 1);
        assertThat(bed.redis.texts().exists("jobs:unique")).isZero();
    }
}
