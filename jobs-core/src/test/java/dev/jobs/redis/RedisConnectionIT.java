package dev.jobs.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.proof.LongTest;
import dev.jobs.store.Scripts;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisConnectionIT {

    private static final String NAME = "jobs-name";

    private static final LuaScript DUE = Scripts.script("due");
    private static final LuaScript PUSH = Scripts.script("push");

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start("--lua-time-limit", "20");

    private final RedisConnections connections = redis.connections("");

    @AutoClose
    private final RedisConnection connection = connections.open(NAME);

    @AfterEach
    void healthyAgain() {
        client("UNPAUSE");
        redis.texts().replicaofNoOne();
        redis.texts().configSet("min-replicas-to-write", "0");
        redis.texts().configSet("maxmemory", "0");
    }

    private static List<Object> script(RedisConnection connection) {
        return connection.call(
                DUE, new byte[][] {Bytes.of("retry"), Bytes.of("schedule")}, new byte[][] {Bytes.of(10), Bytes.of(1_000)
                });
    }

    private static Long push(RedisConnection connection, int number) {
        return push(connection, 1, number);
    }

    private static Long push(RedisConnection connection, int lane, int number) {
        return connection.callForOne(
                PUSH,
                ScriptOutputType.INTEGER,
                new byte[][] {Bytes.of("jobs:pushes:x"), Bytes.of("queues"), Bytes.of("queue:mail")},
                new byte[][] {
                    Bytes.of(lane),
                    Bytes.of(number),
                    Bytes.of(60_000),
                    Bytes.of(""),
                    Bytes.of("mail"),
                    Bytes.of(lane + ":" + number)
                });
    }

    private static JobStoreException failure(Callable<?> call) {
        JobStoreException failure = catchThrowableOfType(JobStoreException.class, call::call);
        assertThat(failure).isNotNull();
        return failure;
    }

    private static List<String> clientsNamed(String name) {
        return redis.texts()
                .clientList()
                .lines()
                .filter(client -> client.contains(" name=" + name + " "))
                .toList();
    }

    private static List<String> idsOf(String name) {
        return clientsNamed(name).stream()
                .map(client -> client.replaceAll("^id=(\\d+) .*", "$1"))
                .toList();
    }

    private static void kill(String name) {
        for (String id : idsOf(name)) {
            redis.texts().clientKill(KillArgs.Builder.id(Long.parseLong(id)));
        }
    }

    @Test
    void opensAtItsFirstUseUnderItsName() {
        assertThat(clientsNamed(NAME)).isEmpty();
        script(connection);
        script(connection);
        assertThat(clientsNamed(NAME)).hasSize(1);
        assertThat(connection).hasToString(NAME);
    }

    @Test
    void comesBackUnderItsNameAfterItWasKilled() {
        script(connection);
        for (int i = 0; i < 3; i++) {
            kill(NAME);
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThatCode(() -> script(connection))
                    .doesNotThrowAnyException());
            await().untilAsserted(() -> assertThat(clientsNamed(NAME)).hasSize(1));
        }
    }

    @Test
    void sendsTheSourceOfAScriptThatTheServerHasForgotten() {
        script(connection);
        redis.texts().scriptFlush();
        assertThat(redis.texts().scriptExists(DUE.digest())).containsExactly(false);

        assertThat(script(connection)).isNotEmpty();
        assertThat(redis.texts().scriptExists(DUE.digest())).containsExactly(true);
    }

    @Test
    @LongTest
    void givesUpAfterItsTimeoutAndWorksOnAnotherConnectionAfterwards() {
        try (RedisConnection impatient = connections.open("impatient", Duration.ofSeconds(3))) {
            push(impatient, 1);
            List<String> before = idsOf("impatient");
            client("PAUSE", "60000", "WRITE");

            JobStoreException timeout = failure(() -> push(impatient, 2));

            assertThat(timeout.kind()).isEqualTo(Kind.TIMEOUT);
            assertThat(timeout).hasMessageContaining("3000 ms");
            client("UNPAUSE");
            assertThat(push(impatient, 3)).isEqualTo(1);
            await().untilAsserted(
                            () -> assertThat(idsOf("impatient")).hasSize(1).doesNotContainAnyElementsOf(before));
        }
    }

    /** Lettuce leaves one so if the handshake ends when the server, or a time-out, has closed it already. */
    private static void loseButCallOpen(RedisConnection connection) {
        script(connection);
        StatefulRedisConnection<byte[], byte[]> lost = connection.connection();
        kill(connection.toString());
        await().until(() -> !lost.isOpen());
        ((RedisChannelHandler<?, ?>) lost).activated();
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    void replacesALostConnectionThatCountsAsOpenAfterACall() {
        loseButCallOpen(connection);

        assertThat(failure(() -> script(connection)).kind()).isEqualTo(Kind.UNREACHABLE);

        assertThat(script(connection)).isNotNull();
        assertThat(clientsNamed(NAME)).hasSize(1);
    }

    @Test
    void replacesALostConnectionThatCountsAsOpenAfterACallThatNobodyWaitsFor() {
        loseButCallOpen(connection);

        CompletionStage<String> ping = connection.runAsync(RedisClusterAsyncCommands::ping);

        assertThat(ping.toCompletableFuture()).isCompletedExceptionally();
        assertThat(connection.isOpen()).isFalse();
        assertThat(script(connection)).isNotNull();
    }

    @Test
    void closesALostConnectionThatCountsAsOpenWhenItIsKeptAlive() {
        AtomicLong now = new AtomicLong();
        try (RedisConnection quiet =
                connections.withClock(() -> SECONDS.toNanos(now.get())).open("jobs-quiet")) {
            loseButCallOpen(quiet);
            now.addAndGet(3);
            quiet.keepAlive();

            assertThat(quiet.isOpen()).isFalse();
        }
    }

    /** The client may reopen it at the very moment when we close it, and then it would stay open for good. */
    @Test
    void leavesALostConnectionToItsNextUse() {
        assertThat(RedisConnections.options(ClientOptions.create(), Duration.ofSeconds(1))
                        .isAutoReconnect())
                .isFalse();
        assertThat(RedisConnections.options(ClusterClientOptions.create(), Duration.ofSeconds(1))
                        .isAutoReconnect())
                .isFalse();
    }

    /**
     * As by a router or a load balancer in between: connections that are quiet for long are forgotten without notifying
     * either side.
     */
    @Test
    @Timeout(180)
    void replacesAConnectionThatWasForgottenOnTheWayBeforeItSendsAnythingOnIt() {
        AtomicLong clock = new AtomicLong();
        try (RedisProxy proxy = new RedisProxy(redis.port());
                RedisConnection quiet = redis.connections("", proxy.port())
                        .withClock(clock::get)
                        .open("quiet")) {
            push(quiet, 1);
            proxy.forget();
            clock.addAndGet(SECONDS.toNanos(9));

            assertThat(quiet.isReady())
                    .as("callers that can't wait don't trust it")
                    .isFalse();
            assertThat(push(quiet, 2)).isEqualTo(1);
            assertThat(quiet.isReady()).isTrue();
        }
        assertThat(redis.texts().lrange("queue:mail", 0, -1)).containsExactly("1:2", "1:1");
    }

    @Test
    void asksForASignOfLifeOnlyAfterQuietSeconds() {
        AtomicLong clock = new AtomicLong();
        try (RedisConnection used = redis.connections("").withClock(clock::get).open("used")) {
            push(used, 1);
            redis.texts().configResetstat();
            for (int i = 2; i < 10; i++) {
                clock.addAndGet(SECONDS.toNanos(7));
                push(used, i);
            }
            assertThat(pings()).isZero();
            clock.addAndGet(SECONDS.toNanos(9));
            push(used, 10);
            push(used, 11);
            assertThat(pings()).isEqualTo(1);
            assertThat(clientsNamed("used")).hasSize(1);
        }
    }

    @Test
    void keepsAQuietConnectionAliveAndABusyOneAlone() {
        AtomicLong clock = new AtomicLong();
        try (RedisConnection kept = redis.connections("").withClock(clock::get).open("kept")) {
            kept.keepAlive();
            push(kept, 1);
            redis.texts().configResetstat();
            clock.addAndGet(SECONDS.toNanos(1));
            kept.keepAlive();
            assertThat(pings()).isZero();
            for (int i = 1; i < 10; i++) {
                int expected = i;
                clock.addAndGet(SECONDS.toNanos(5));
                kept.keepAlive();
                await().untilAsserted(() -> assertThat(pings()).isEqualTo(expected));
                kept.runAsync(RedisClusterAsyncCommands::info)
                        .toCompletableFuture()
                        .join(); // after the answer
            }
            assertThat(kept.isReady()).isTrue();
            push(kept, 2);
            assertThat(pings()).isEqualTo(9);
        }
    }

    @Test
    @LongTest
    @Timeout(180)
    void replacesAConnectionWhosePingIsNotAnswered() {
        AtomicLong clock = new AtomicLong();
        try (RedisProxy proxy = new RedisProxy(redis.port());
                RedisConnection deaf = redis.connections("", Duration.ofSeconds(5), proxy.port())
                        .withClock(clock::get)
                        .open("deaf")) {
            push(deaf, 1);
            proxy.forget();
            clock.addAndGet(SECONDS.toNanos(3));
            deaf.keepAlive();
            await().until(() -> !deaf.isReady());
            assertThat(push(deaf, 2)).isEqualTo(1);
        }
    }

    private static long pings() {
        return redis.texts()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_ping:"))
                .map(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+),.*", "$1")))
                .findFirst()
                .orElse(0L);
    }

    @Test
    void keepsTheSocketOptionsThatTheApplicationChose() {
        SocketOptions chosen = SocketOptions.builder()
                .connectTimeout(Duration.ofSeconds(3))
                .keepAlive(KeepAliveOptions.builder()
                        .enable()
                        .idle(Duration.ofSeconds(77))
                        .interval(Duration.ofSeconds(7))
                        .count(5)
                        .build())
                .tcpUserTimeout(TcpUserTimeoutOptions.builder()
                        .enable()
                        .tcpUserTimeout(Duration.ofSeconds(33))
                        .build())
                .tcpNoDelay(false)
                .build();

        SocketOptions kept = RedisConnections.options(
                        ClientOptions.builder().socketOptions(chosen).build(), Duration.ofSeconds(5))
                .getSocketOptions();

        assertThat(kept.getConnectTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(kept.getKeepAlive().getIdle()).isEqualTo(Duration.ofSeconds(77));
        assertThat(kept.getKeepAlive().getInterval()).isEqualTo(Duration.ofSeconds(7));
        assertThat(kept.getKeepAlive().getCount()).isEqualTo(5);
        assertThat(kept.isEnableTcpUserTimeout()).isTrue();
        assertThat(kept.getTcpUserTimeout().getTcpUserTimeout()).isEqualTo(Duration.ofSeconds(33));
        assertThat(kept.isTcpNoDelay()).isFalse();
    }

    @Test
    void noticesADeadPeerBySocketOptionsOfItsOwnWhereNoneWereChosen() {
        SocketOptions options = RedisConnections.options(ClientOptions.create(), Duration.ofSeconds(5))
                .getSocketOptions();

        assertThat(options.getConnectTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(options.isKeepAlive()).isTrue();
        assertThat(options.getKeepAlive().getIdle()).isLessThanOrEqualTo(Duration.ofMinutes(1));
        assertThat(options.isEnableTcpUserTimeout())
                .as("only a native transport can do it, and another one would refuse to connect")
                .isEqualTo(EpollProvider.isAvailable() || IOUringProvider.isAvailable());
    }

    /** As when one caller notices that a connection is broken while others wait on it. */
    @Test
    void failsCallersOnADroppedConnectionWithItsOwnMessage() throws Exception {
        script(connection);
        client("PAUSE", "60000", "WRITE");
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<JobStoreException> plain =
                    threads.submit(() -> failure(() -> connection.run(commands -> commands.del(Bytes.of("x")))));
            await().untilAsserted(() ->
                    assertThat(clientsNamed(NAME)).singleElement().asString().contains(" cmd=del "));
            Future<JobStoreException> scripted = threads.submit(() -> failure(() -> push(connection, 1)));
            await().untilAsserted(() ->
                    assertThat(clientsNamed(NAME)).singleElement().asString().doesNotContain(" qbuf=0 "));

            connection.drop(connection.connection());

            assertThat(plain.get(50, SECONDS).kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(scripted.get(50, SECONDS).kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(RedisErrors.mayHaveRun(scripted.get())).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void takesCallsFromManyThreads() throws Exception {
        int callers = 16;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            List<Future<Integer>> sums = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                int lane = i;
                sums.add(threads.submit(() -> {
                    int stored = 0;
                    for (int n = 1; n <= 200; n++) {
                        stored += push(connection, lane, n).intValue();
                    }
                    return stored;
                }));
            }
            for (Future<Integer> sum : sums) {
                assertThat(sum.get(30, SECONDS)).isEqualTo(200);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(redis.texts().lrange("queue:mail", 0, -1)).hasSize(3_200).doesNotHaveDuplicates();
        assertThat(clientsNamed(NAME)).hasSize(1);
    }

    @Test
    @Timeout(180)
    void refusesAtOnceWhileThereIsNoServer() {
        try (RedisFixture other = RedisFixture.start();
                RedisConnection patient = other.connections("").open("patient")) {
            script(patient);
            other.stop();
            for (int i = 0; i < 200; i++) {
                assertThat(failure(() -> script(patient)).kind()).isEqualTo(Kind.UNREACHABLE);
            }
            other.startAgain();
            await().untilAsserted(() -> assertThatCode(() -> script(patient)).doesNotThrowAnyException());
        }
    }

    @Test
    @Timeout(180)
    void letsNoCallerWaitForFailedConnectionsOfOthers() throws Exception {
        int callers = 100;
        AtomicInteger attempts = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(callers + 1);
        try (ServerSocket deaf = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                RedisConnection unconnected = redis.connections("", Duration.ofSeconds(1), deaf.getLocalPort())
                        .open("unconnected")) {
            threads.submit(() -> {
                while (true) {
                    deaf.accept(); // and say nothing
                    attempts.incrementAndGet();
                }
            });
            List<Future<JobStoreException>> failures = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                failures.add(threads.submit(() -> failure(() -> script(unconnected))));
            }
            for (Future<JobStoreException> failure : failures) {
                assertThat(failure.get(30, SECONDS).kind()).isIn(Kind.TIMEOUT, Kind.UNREACHABLE);
            }
            assertThat(attempts).as("attempts, each of a second").hasValueBetween(1, callers / 2);
        } finally {
            threads.shutdownNow();
        }
    }

    /** The client of a closing application may be gone before it has connected; then nothing reports the result. */
    @Test
    @Timeout(180)
    void closingEndsAnAttemptToConnect() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (ServerSocket deaf = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            RedisConnection unconnected = redis.connections("", Duration.ofMinutes(10), deaf.getLocalPort())
                    .open("unconnected");
            Future<JobStoreException> failure = thread.submit(() -> failure(() -> script(unconnected)));
            Future<Boolean> interrupted =
                    thread.submit(() -> Thread.currentThread().isInterrupted());
            deaf.accept();

            unconnected.close();

            assertThat(failure.get(30, SECONDS).kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(interrupted.get(30, SECONDS)).isFalse();
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    @Tag("sidekiq-1")
    void looksForThePrimaryAgainWhenTheServerBecomesAReplica() {
        push(connection, 1);
        List<String> before = idsOf(NAME);
        redis.texts().replicaof("127.0.0.1", 1);

        assertThat(failure(() -> push(connection, 2)).kind()).isEqualTo(Kind.READ_ONLY);

        redis.texts().replicaofNoOne();
        assertThat(push(connection, 3)).isEqualTo(1);
        await().untilAsserted(() -> assertThat(idsOf(NAME)).hasSize(1).doesNotContainAnyElementsOf(before));
    }

    @Test
    @SuppressWarnings("unchecked") // an array of streams
    void answersWhatWasSentBehindARefusedCommand() throws Exception {
        push(connection, 1);
        List<String> before = idsOf(NAME);
        redis.texts().replicaof("127.0.0.1", 1);
        CompletionStage<String> refused = connection.runAsync(commands -> commands.set(Bytes.of("key"), Bytes.of("x")));
        CompletionStage<List<StreamMessage<byte[], byte[]>>> slow = connection.runAsync(commands -> commands.xread(
                XReadArgs.Builder.block(Duration.ofMillis(300)), StreamOffset.latest(Bytes.of("stream"))));

        assertThat(failure(() -> connection.await(refused, connection.timeout()))
                        .kind())
                .isEqualTo(Kind.READ_ONLY);

        assertThat(slow.toCompletableFuture().get()).isEmpty();
        redis.texts().replicaofNoOne();
        assertThat(push(connection, 2)).isEqualTo(1);
        await().untilAsserted(() -> assertThat(idsOf(NAME)).hasSize(1).doesNotContainAnyElementsOf(before));
    }

    @Test
    @Tag("sidekiq-1")
    void repeatsWhatAReplicaRefusedOnceItIsAPrimary() {
        push(connection, 1);
        redis.texts().replicaof("127.0.0.1", 1);
        AtomicBoolean uncertain = new AtomicBoolean();
        Thread failover = new Thread(() -> redis.texts().replicaofNoOne());
        try {
            failover.start();
            Long stored = new PersistentCall(
                            PUSH,
                            ScriptOutputType.INTEGER,
                            new byte[][] {Bytes.of("jobs:pushes:x"), Bytes.of("queues"), Bytes.of("queue:mail")},
                            new byte[][] {
                                Bytes.of(1),
                                Bytes.of(2),
                                Bytes.of(60_000),
                                Bytes.of(""),
                                Bytes.of("mail"),
                                Bytes.of("job")
                            })
                    .over(connection, connection.timeout(), uncertain);
            assertThat(stored).isEqualTo(1);
        } finally {
            failover.interrupt();
        }
        assertThat(uncertain).isFalse();
        assertThat(redis.texts().llen("queue:mail")).isEqualTo(2);
    }

    @Test
    void reportsWhyTheServerRefuses() {
        redis.texts().set("queue:mail", "text");
        assertThat(failure(() -> push(connection, 1)).kind()).isEqualTo(Kind.WRONG_TYPE);
        redis.texts().del("queue:mail");
        redis.texts().configSet("min-replicas-to-write", "1");
        assertThat(failure(() -> push(connection, 1)).kind()).isEqualTo(Kind.UNSAFE);
        redis.texts().configSet("min-replicas-to-write", "0");
        redis.texts().configSet("maxmemory", "1");
        assertThat(failure(() -> push(connection, 1)).kind()).isEqualTo(Kind.FULL);
        redis.texts().configSet("maxmemory", "0");
        assertThat(push(connection, 1)).isEqualTo(1);
    }

    @Test
    void reportsThatAScriptKeepsTheServerBusy() {
        script(connection);
        whileBusy(() -> {});
        assertThat(script(connection)).isNotEmpty();
    }

    @Test
    void hasItsNameAlsoIfTheServerWasBusyWhenItWasOpened() {
        whileBusy(() -> assertThat(failure(() -> script(connection)).kind()).isEqualTo(Kind.BUSY));
        await().untilAsserted(() -> {
            script(connection);
            assertThat(clientsNamed(NAME)).hasSize(1);
        });
    }

    @Test
    void aConnectionHasAsynchronousCommandsOnly() {
        assertThat(connection.connection()).satisfies(each -> {
            assertThatThrownBy(each::sync).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(each::reactive).isInstanceOf(UnsupportedOperationException.class);
            assertThat(each.async().ping().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(5));
        });
    }

    /** Runs an action while a script keeps the server busy. */
    private static void whileBusy(Runnable action) {
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + redis.port());
        try (StatefulRedisConnection<String, String> other = client.connect();
                RedisConnection watching = redis.connections("").open("watching")) {
            script(watching);
            RedisFuture<Object> endless = other.async().eval("while true do end", ScriptOutputType.STATUS);
            try {
                await().untilAsserted(() ->
                        assertThat(failure(() -> script(watching)).kind()).isEqualTo(Kind.BUSY));
                action.run();
            } finally {
                redis.texts().scriptKill();
            }
            assertThat(endless.toCompletableFuture()).failsWithin(Duration.ofSeconds(10));
        } finally {
            client.shutdown();
        }
    }

    @Test
    void reportsThatAccessIsDeniedAndWorksOnceItIsGrantedAgain() {
        script(connection);
        redis.texts().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.LPUSH));
        try {
            assertThat(failure(() -> push(connection, 1)).kind()).isEqualTo(Kind.DENIED);
        } finally {
            redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        }
        assertThat(push(connection, 1)).isEqualTo(1);
    }

    @Test
    void keepsTheInterruptionOfACaller() throws Exception {
        script(connection);
        client("PAUSE", "60000", "WRITE");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> interrupted = thread.submit(() -> {
                Thread.currentThread().interrupt();
                assertThat(failure(() -> connection.run(commands -> commands.del(Bytes.of("x")))))
                        .hasMessageContaining("Interrupted");
                return Thread.currentThread().isInterrupted();
            });
            assertThat(interrupted.get(50, SECONDS)).isTrue();
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void isNotOpenedAgainAfterItWasClosed() {
        script(connection);
        connection.close();
        connection.close();

        JobStoreException failure = failure(() -> script(connection));

        assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(failure).hasMessageContaining(NAME);
        await().untilAsserted(() -> assertThat(clientsNamed(NAME)).isEmpty());
    }

    private static void client(String... arguments) {
        CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8);
        for (String argument : arguments) {
            all.add(argument);
        }
        redis.texts().dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), all);
    }
}
