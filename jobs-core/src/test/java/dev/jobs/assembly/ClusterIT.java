package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.batches.BatchAccess;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.handover.Doorbell;
import dev.jobs.handover.StandingCalls;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.AllScripts;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Request;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Worker;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.io.IOException;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis Cluster, which refuses a script that touches keys of more than one hash slot. */
class ClusterIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start(
            "--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", "--cluster-port", freePort());

    static final RedisClusterClient client = RedisClusterClient.create(
            RedisURI.builder().withHost("127.0.0.1").withPort(redis.port()).build());

    static final RedisConnections connections = new RedisConnections(() -> client, new RedisKeys("{shop}:"), TIMEOUT);

    private static String freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return Integer.toString(socket.getLocalPort());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeAll
    static void oneNodeServesAllHashSlots() {
        redis.texts().clusterAddSlots(IntStream.range(0, 16_384).toArray());
        await().until(() -> redis.texts().clusterInfo().contains("cluster_state:ok"));
        client.setOptions(ClusterClientOptions.builder(RedisConnections.options(ClusterClientOptions.create(), TIMEOUT))
                .build());
    }

    @AfterAll
    static void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @Test
    @Tag("sidekiq-1")
    void servesEveryScriptFromOneHashSlotUnderOnePrefix() {
        ScriptTestBed bed = new ScriptTestBed(redis, connections);

        AllScripts.run(bed, () -> {});

        assertThat(redis.texts().keys("*")).isNotEmpty().allSatisfy(key -> assertThat(key)
                .startsWith("{shop}:"));
    }

    @Test
    void letsClaimsStand() throws Exception {
        ScriptTestBed bed = new ScriptTestBed(redis, connections);
        bed.clear();
        bed.worker("one").join();
        try (RedisConnection connection = connections.open("stand")) {
            JobClaims claims = new JobClaims(
                    connection,
                    connections.keys(),
                    ScriptTestBed.CLOCK,
                    ScriptTestBed.LIMITS,
                    ScriptTestBed.SUSPICIOUS);
            CompletableFuture<Reply> call = StandingCalls.untilPushed(
                    claims,
                    new Request("one", 1, 1, "m", 5, 0, List.of("mail"), List.of(), ClaimGate.OPEN),
                    "mail",
                    TIMEOUT.dividedBy(2));
            await().until(() -> redis.texts().info("clients").contains("blocked_clients:1\r\n"));
            bed.push("mail", "a");

            Reply reply = call.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);

            assertThat(Worker.payloads(reply.claimed())).containsExactly("a");
        }
    }

    /** The jobs of a batch. */
    static final class Shop {

        @Job("Sell")
        void sell() {}
    }

    @Test
    void processesABatchWithItsChildAndItsNextOne() throws InterruptedException {
        JobRegistry registry = JobRegistry.of(new Shop());
        try (RedisJobClient jobs = new RedisJobClient(
                        connections,
                        registry,
                        JobHooks.none(),
                        ClientConfig.defaults(),
                        Clock.systemUTC(),
                        new SecureRandom());
                RedisBatches batches = new RedisBatches(connections, jobs, new SecureRandom())) {
            JobEngine engine = new JobEngine(
                    EngineConfig.of(2, "default"),
                    connections,
                    registry,
                    JobHooks.none().withTool(BatchAccess.class, batches),
                    EngineEnvironment.system());
            engine.start();
            try {
                JobCall sell = JobCall.named("Sell");
                String id = batches.create("first", batch -> batch.add(sell)
                        .child("child", child -> child.add(sell))
                        .then("next", next -> next.add(sell).onSuccess(sell)));
                assertThat(batches.await(id, PATIENCE)).isTrue();
                String next = batches.find(id).orElseThrow().next();
                await().atMost(PATIENCE).until(() -> batches.find(next)
                        .map(BatchStatus::events)
                        .orElseThrow()
                        .containsKey(BatchEvent.SUCCEEDED));
            } finally {
                engine.stop();
            }
        }
        assertThat(redis.texts().keys("*")).isNotEmpty().allSatisfy(key -> assertThat(key)
                .startsWith("{shop}:"));
    }

    @Test
    void ringsTheDoorbell() {
        Set<String> rung = ConcurrentHashMap.newKeySet();
        try (Doorbell doorbell = new Doorbell(
                connections.open("bell"), connections.keys(), () -> Set.of("mail"), () -> false, rung::add)) {
            assertThat(doorbell.check(TIMEOUT)).isTrue();
            rung.clear();

            redis.texts().lpush("{shop}:queue:mail", "a");

            await().untilAsserted(() -> assertThat(rung).contains("mail"));
        }
    }

    @Test
    void explainsWhyNoNodeCanBeReached() {
        assertThat(failureAt(RedisURI.create("redis://127.0.0.1:1")))
                .returns(Kind.UNREACHABLE, JobStoreException::kind)
                .hasMessageContaining("Connection refused")
                .hasMessageContaining("Start Redis");
        assertThat(failureAt(RedisURI.builder()
                        .withHost("127.0.0.1")
                        .withPort(redis.port())
                        .withAuthentication("nobody", "wrong")
                        .build()))
                .returns(Kind.DENIED, JobStoreException::kind)
                .hasMessageContaining("The user name or the password is wrong");
    }

    private static JobStoreException failureAt(RedisURI uri) {
        uri.setTimeout(TIMEOUT);
        try (RedisClusterClient strange = RedisClusterClient.create(uri);
                RedisConnection connection =
                        new RedisConnections(() -> strange, new RedisKeys("{shop}:"), TIMEOUT).open("strange")) {
            return catchThrowableOfType(JobStoreException.class, connection::serverInfo);
        }
    }

    /** Also when the hash slot is looked for again. */
    @Test
    void connectsAsTheUserOfTheClient() {
        redis.texts()
                .aclSetuser(
                        "clerk",
                        AclSetuserArgs.Builder.on()
                                .addPassword("secret")
                                .allKeys()
                                .allCommands());
        RedisURI uri = RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(redis.port())
                .withAuthentication("clerk", "secret")
                .build();
        try (RedisClusterClient clerks = RedisClusterClient.create(uri)) {
            RedisConnections all = new RedisConnections(() -> clerks, new RedisKeys("{shop}:"), TIMEOUT);
            for (String name : List.of("first", "second")) {
                try (RedisConnection connection = all.open(name)) {
                    connection.serverInfo();

                    await().untilAsserted(() -> assertThat(
                                    redis.texts().clientList().lines())
                            .anyMatch(line -> line.contains(" name=" + name + " ") && line.contains(" user=clerk ")));
                }
                await().pollDelay(Duration.ofMillis(1_100)).until(() -> true); // an answer is good for a second
            }
        }
    }

    @Test
    void namesItsConnections() {
        try (RedisConnection connection = connections.open("jobs-named")) {
            connection.serverInfo();

            await().untilAsserted(() -> assertThat(redis.texts().clientList()).contains(" name=jobs-named "));
        }
    }

    /** To the client, a node that gets another address has left: it closes the connections to the old one itself. */
    @Test
    void keepsNothingOfConnectionsToNodesThatLeft() {
        try (RedisConnection connection = connections.open("jobs-moved")) {
            connection.serverInfo();
            long before = redis.texts().clientList().lines().count();
            for (String address : List.of("localhost", "127.0.0.1", "localhost", "127.0.0.1")) {
                redis.texts().configSet("cluster-announce-ip", address);
                await().until(() -> redis.texts().clusterNodes().contains(" " + address + ":" + redis.port()));
                await().until(() -> {
                    client.refreshPartitions(); // the first time at the old address, which then still counts
                    return !redis.texts().clientList().contains(" name=jobs-moved ");
                });
                connection.serverInfo();
            }

            await().untilAsserted(() ->
                    assertThat(redis.texts().clientList().lines()).hasSizeLessThanOrEqualTo((int) before));
        }
    }
}
