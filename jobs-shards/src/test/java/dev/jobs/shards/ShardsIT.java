package dev.jobs.shards;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.jobs.BulkEndedException;
import dev.jobs.BulkEndedException.BulkJob;
import dev.jobs.BulkEndedException.State;
import dev.jobs.JobHandle;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.client.ReadyJob;
import dev.jobs.proof.LongTest;
import dev.jobs.results.KeptResult;
import dev.jobs.transactions.CommittedWork;
import dev.jobs.transactions.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client of three servers: each job is in one of them, and what one of them does is no matter to the others. */
class ShardsIT {

    @AutoClose
    static final ShardsTestBed bed = new ShardsTestBed();

    @BeforeEach
    void open() {
        bed.open();
    }

    @AfterEach
    void close() throws Exception {
        bed.closeClients();
    }

    private static List<List<Integer>> numbers(int count) {
        return IntStream.range(0, count).mapToObj(List::of).toList();
    }

    /** Each of them exactly once, in the shard that the map says. */
    private static void assertInTheirShards(String queue, List<String> jids) {
        assertThat(bed.jids(queue)).containsExactlyInAnyOrderElementsOf(jids);
        for (String shard : ShardsTestBed.SHARDS) {
            assertThat(bed.jids(shard, queue))
                    .isNotEmpty()
                    .allMatch(jid -> ShardsTestBed.MAP.of(queue, jid, null).equals(shard));
        }
    }

    @Test
    void aClientThatIsWarmedUpIsConnectedToAllShardsThatCanBeReached() throws Exception {
        bed.proxies.get("home").close();

        assertThatThrownBy(bed.client()::warmUp)
                .isInstanceOf(JobStoreException.class)
                .hasMessageContaining("shard 'home'");

        assertThat(clients("home")).doesNotContain(" name=jobs-client ");
        assertThat(clients("east")).contains(" name=jobs-client ");
        assertThat(clients("west")).contains(" name=jobs-client ");
    }

    private static String clients(String shard) {
        return bed.servers.get(shard).texts().clientList();
    }

    @Test
    void aQueueLivesInItsShardAndASpreadOneInAll() {
        RedisJobClient client = bed.client();

        for (String shard : ShardsTestBed.SHARDS) {
            String jid = client.queue(shard).enqueue("A", 1);
            assertThat(bed.jids(shard)).containsExactly(jid);
            assertThat(bed.jids(shard, shard)).containsExactly(jid);
        }
        List<String> orders = new ArrayList<>(client.queue("orders").enqueueAll("A", numbers(2_500)));
        IntStream.range(0, 20).forEach(i -> orders.add(client.queue("orders").enqueue("A", i)));

        assertInTheirShards("orders", orders);
        assertThat(ShardsTestBed.SHARDS)
                .allMatch(shard -> bed.jids(shard, "orders").size() > 700);
        assertThat(bed.told.get("orders")).hasValue(2_520);
    }

    @Test
    void jobsOfAKeyStayTogetherInTheirOrder() {
        RedisJobClient client = bed.client();

        for (int i = 0; i < 90; i++) {
            client.queue("keyed").with("order_key", "k" + i % 30).enqueue("A", i / 30);
        }

        Map<String, String> shards = new LinkedHashMap<>();
        for (String shard : ShardsTestBed.SHARDS) {
            Map<String, List<String>> order = new LinkedHashMap<>();
            List<String> stored = bed.servers.get(shard).texts().lrange("queue:keyed", 0, -1);
            assertThat(stored).isNotEmpty();
            for (String each : stored) {
                Payload job = ShardsTestBed.payload(each);
                String key = String.valueOf(job.text("order_key"));
                assertThat(shards.putIfAbsent(key, shard)).isIn(null, shard);
                order.computeIfAbsent(key, none -> new ArrayList<>()).add(new String(job.rawArgs(), UTF_8));
            }
            // The next one is the last.
            assertThat(order.values()).isNotEmpty().allMatch(List.of("[2]", "[1]", "[0]")::equals);
        }
        assertThat(shards).hasSize(30);
    }

    @Test
    void scheduledJobsWaitInTheShardsOfTheirQueues() {
        RedisJobClient client = bed.client();

        List<String> orders =
                new ArrayList<>(client.queue("orders").in(Duration.ofHours(1)).enqueueAll("A", numbers(250)));
        assertInTheirShards("orders", orders);

        String east = client.queue("east").in(Duration.ofHours(1)).enqueue("A", 1);
        assertThat(bed.jids("east", "east")).contains(east);
    }

    @Test
    void aBulkCallSaysWhatItStoredWhenAShardGoesAway() {
        RedisJobClient client = bed.client();
        Iterable<List<Integer>> elements = () -> endingEast(numbers(4_000).iterator(), 2_500);

        JobStoreException failure = catchThrowableOfType(
                JobStoreException.class, () -> client.queue("orders").enqueueAll("A", elements));

        assertThat(failure).hasMessageContaining("shard 'east': Redis").hasMessageContaining("other shards have");
        assertThat(failure.mayHaveRun()).isTrue();
        List<BulkJob> jobs = BulkEndedException.of(failure).orElseThrow().jobs();
        List<String> stored = bed.jids("orders");
        assertThat(stored).as("none twice").doesNotHaveDuplicates();
        HashSet<String> found = new HashSet<>(stored);
        for (BulkJob job : jobs) {
            if (job.state() == State.STORED) {
                assertThat(found).contains(job.jid());
            } else if (job.state() == State.NOT_STORED) {
                assertThat(found).doesNotContain(job.jid());
            }
        }
        long acknowledged =
                jobs.stream().filter(job -> job.state() == State.STORED).count();
        assertThat(acknowledged)
                .as("at least what two slices had for the other shards")
                .isBetween(1_200L, 3_000L);
        assertThat(bed.told.get("orders")).as("what listeners were told").hasValue((int) acknowledged);
        assertThat(failure.getMessage())
                .contains(String.format(java.util.Locale.ROOT, "%,d had been stored", acknowledged));
    }

    /** Closes the way to a shard before an element. */
    private static Iterator<List<Integer>> endingEast(Iterator<List<Integer>> all, int at) {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public List<Integer> next() {
                if (next++ == at) {
                    bed.proxies.get("east").refuse();
                }
                return all.next();
            }
        };
    }

    @Test
    void aLostAnswerOfOneShardIsRepeatedThereAlone() {
        RedisJobClient client = bed.client();
        client.queue("orders").enqueueAll("A", numbers(30)); // the connections are open
        List<String> all = new ArrayList<>(bed.jids("orders"));
        bed.proxies.get("west").loseAnswers(1);

        all.addAll(client.queue("orders").enqueueAll("A", numbers(300)));

        assertThat(bed.proxies.get("west").answersLeftToLose()).isZero();
        assertInTheirShards("orders", all);
    }

    @Test
    void aPushIsRepeatedWhereItIsNotStored() {
        ShardedJobStore store = bed.store();
        try (store) {
            List<ReadyJob> jobs = IntStream.range(0, 60)
                    .mapToObj(i -> new ReadyJob("A", "orders", "j" + i, null, bytes("j" + i), List.of()))
                    .toList();
            bed.servers.get("east").texts().configSet("maxmemory", "1");
            var sent = store.send(jobs);

            assertThatThrownBy(sent::await).hasMessageContaining("shard 'east': Redis is full");
            assertThat(sent.mayBeStored()).isTrue();
            for (int i = 0; i < 60; i++) {
                boolean east = ShardsTestBed.MAP.of("orders", "j" + i, null).equals("east");
                assertThat(sent.state(i)).isEqualTo(east ? State.NOT_STORED : State.STORED);
            }
            // Another process that takes them now must not meet them again.
            bed.servers.get("home").texts().del("queue:orders");
            List<String> west = bed.jids("west", "orders");
            bed.servers.get("east").texts().configSet("maxmemory", "0");

            sent.repeat(Duration.ofSeconds(20));

            assertThat(bed.jids("home", "orders")).isEmpty();
            assertThat(bed.jids("west", "orders")).isEqualTo(west);
            assertThat(bed.jids("east", "orders")).hasSize((int)
                    jobs.stream().filter(job -> store.shard(job).equals("east")).count());
        } finally {
            bed.servers.get("east").texts().configSet("maxmemory", "0");
        }
    }

    private static byte[] bytes(String jid) {
        return ("{\"class\":\"A\",\"args\":[],\"jid\":\"" + jid + "\"}").getBytes(UTF_8);
    }

    @Test
    @LongTest
    void anotherShardTakesOverWhatOneCertainlyDidNotStore() {
        RedisJobClient client = bed.client();
        bed.proxies.get("east").refuse();

        List<String> jids = client.queue("safe").enqueueAll("A", numbers(200));

        assertThat(bed.jids("safe")).containsExactlyInAnyOrderElementsOf(jids);
        assertThat(bed.jids("east", "safe")).isEmpty();
        List<String> moved = jids.stream()
                .filter(jid -> ShardsTestBed.MAP.of("safe", jid, null).equals("east"))
                .toList();
        assertThat(moved).hasSizeGreaterThan(30);
        assertThat(bed.jids("home", "safe")).as("some of them").containsAnyElementsOf(moved);
        assertThat(bed.jids("west", "safe")).as("some of them").containsAnyElementsOf(moved);
        assertThat(bed.told.get("safe")).hasValue(200);

        for (String shard : List.of("home", "west")) {
            bed.servers.get(shard).texts().configSet("maxmemory", "1");
        }
        try {
            assertThatThrownBy(() -> client.queue("safe").enqueue("A", 1))
                    .isInstanceOf(JobStoreException.class)
                    .hasMessageContaining("was not stored");
        } finally {
            for (String shard : List.of("home", "west")) {
                bed.servers.get(shard).texts().configSet("maxmemory", "0");
            }
        }
    }

    @Test
    void noShardTakesOverWhatMayBeStored() {
        RedisJobClient client = bed.client();
        client.queue("safe").enqueueAll("A", numbers(50));
        List<String> before = bed.jids("safe");
        bed.proxies.get("east").mute();
        bed.proxies.get("east").loseAnswers(Integer.MAX_VALUE);

        JobStoreException failure = catchThrowableOfType(
                JobStoreException.class, () -> client.queue("safe").enqueueAll("A", numbers(60)));

        assertThat(failure.mayHaveRun()).isTrue();
        assertThat(failure).hasMessageContaining("shard 'east'").hasMessageContaining("may have been stored");
        List<String> after = new ArrayList<>(bed.jids("safe"));
        after.removeAll(before);
        assertThat(after).doesNotHaveDuplicates();
        for (String shard : List.of("home", "west")) {
            assertThat(bed.jids(shard, "safe"))
                    .isNotEmpty()
                    .allMatch(jid -> ShardsTestBed.MAP.of("safe", jid, null).equals(shard));
        }
    }

    /** Nobody knows what became of a push that nobody waited for, so it keeps its number. */
    @Test
    void aPushThatIsRepeatedBeforeItsAnswerIsStoredOnce() {
        try (ShardedJobStore store = bed.store()) {
            store.send(safe(0, 60)).await(); // the connections are open
            bed.proxies.get("east").mute();
            var sent = store.send(safe(60, 120));
            await().until(() -> bed.jids("safe").size() == 120);

            sent.repeat(Duration.ofSeconds(20));

            assertThat(bed.jids("safe")).hasSize(120).doesNotHaveDuplicates();
            assertThat(sent.state(0)).isEqualTo(State.STORED);
        }
    }

    private static List<ReadyJob> safe(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> new ReadyJob("A", "safe", "j" + i, null, bytes("j" + i), List.of()))
                .toList();
    }

    private static Transactions.Transaction transaction(Map<Object, Transactions.Work> works) {
        return new Transactions.Transaction() {
            @Override
            @SuppressWarnings("unchecked")
            public <W extends Transactions.Work> W work(Object owner, Supplier<W> created) {
                return (W) works.computeIfAbsent(owner, none -> created.get());
            }
        };
    }

    @Test
    void jobsOfATransactionForAShardThatIsAwayFollowAndTheOthersDoNotWait() {
        Map<Object, Transactions.Work> works = new LinkedHashMap<>();
        RedisJobClient client = bed.client(() -> transaction(works), null);
        client.now().queue("east").enqueue("A", 0);
        bed.servers.get("east").texts().configSet("maxmemory", "1");
        try {
            List<String> orders = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                orders.add(client.queue("orders").enqueue("A", i));
            }
            client.queue("east").enqueue("A", 1);
            String west = client.queue("west").enqueue("A", 2);

            works.values().forEach(Transactions.Work::committed);

            await().untilAsserted(() -> assertThat(bed.jids("west", "west")).containsExactly(west));
            await().untilAsserted(() -> assertThat(bed.jids("home", "orders")).isNotEmpty());
            await().untilAsserted(() -> assertThat(bed.jids("west", "orders")).isNotEmpty());
            assertThat(bed.jids("east", "east")).hasSize(1);
            bed.servers.get("east").texts().configSet("maxmemory", "0");
            await().untilAsserted(() -> assertInTheirShards("orders", orders));
            await().untilAsserted(() -> assertThat(bed.jids("east", "east")).hasSize(2));
            await("what listeners are told")
                    .untilAsserted(() -> assertThat(bed.told.get("orders")).hasValue(60));
        } finally {
            bed.servers.get("east").texts().configSet("maxmemory", "0");
        }
    }

    @Test
    void workForAShardDoesNotWaitForThatOfAnother() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch west = new CountDownLatch(1);
        try (CommittedWork work = new CommittedWork(Duration.ofSeconds(10), Duration.ofSeconds(30))) {
            work.later("east", () -> await().until(() -> end.getCount() == 0));
            work.later("west", west::countDown);
            assertThat(west.await(20, TimeUnit.SECONDS)).isTrue();
            end.countDown();
            work.awaitDone();
        }
    }

    @Test
    void aCancelledJobIsMarkedInEveryShardThatIsThere() {
        RedisJobClient client = bed.client();

        client.cancel("j1");
        for (String shard : ShardsTestBed.SHARDS) {
            assertThat(bed.servers.get(shard).texts().hexists("it-j1", "cancelled"))
                    .isTrue();
        }

        bed.proxies.get("home").refuse();
        assertThatThrownBy(() -> client.cancel("j2"))
                .isInstanceOf(JobStoreException.class)
                .hasMessageContaining("Could not cancel job j2: shard 'home': Redis")
                .hasMessageContaining("if the job is in another shard, it is cancelled");
        assertThat(bed.servers.get("home").texts().exists("it-j2")).isZero();
        assertThat(bed.servers.get("east").texts().hexists("it-j2", "cancelled"))
                .isTrue();
        assertThat(bed.servers.get("west").texts().hexists("it-j2", "cancelled"))
                .isTrue();
    }

    /** As a worker of the shard tells of an end. */
    private static void end(String shard, String queue) {
        var redis = bed.servers.get(shard).texts();
        Payload job = ShardsTestBed.payload(redis.lrange("queue:" + queue, 0, 0).get(0));
        redis.set("jobs:result:" + job.jid(), "{\"state\":\"done\",\"value\":\"" + shard + "\"}");
        redis.rpush("jobs:replies:" + job.text(KeptResult.REPLY_TO), job.jid());
    }

    @Test
    void resultsComeFromAllShards() throws Exception {
        RedisJobClient client = bed.client();
        JobHandle<String> east = client.queue("east").submit("A", String.class);
        JobHandle<String> west = client.queue("west").submit("A", String.class);

        CompletableFuture<@Nullable String> first = CompletableFuture.supplyAsync(() -> value(east));
        CompletableFuture<@Nullable String> second = CompletableFuture.supplyAsync(() -> value(west));
        await().until(() -> listens("east") && listens("west"));
        end("west", "west");
        assertThat(second.get()).isEqualTo("west");
        assertThat(first).isNotDone();
        end("east", "east");
        assertThat(first.get()).isEqualTo("east");

        bed.proxies.get("home").refuse();
        assertThat(client.result(east.jid(), String.class).value()).isEqualTo("east");
        assertThatThrownBy(() -> client.result("unknown", String.class))
                .isInstanceOf(JobStoreException.class)
                .hasMessageContaining("shard 'home'");
        assertThat(east.await(Duration.ofSeconds(30)).value()).isEqualTo("east");
    }

    private static boolean listens(String shard) {
        return bed.servers.get(shard).texts().clientList().contains("cmd=blpop");
    }

    private static @Nullable String value(JobHandle<String> handle) {
        try {
            JobResult<String> result = handle.await(Duration.ofSeconds(60));
            return result.value();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
