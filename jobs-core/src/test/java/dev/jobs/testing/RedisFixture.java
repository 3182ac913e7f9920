package dev.jobs.testing;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.redis.AsyncRedisClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real Redis of one test class, connections to it as the library opens them, and a plain view of what it holds.
 *
 * <pre>{@code
 * @AutoClose
 * @RegisterExtension // empties it before each test
 * static final RedisFixture redis = RedisFixture.start();
 * }</pre>
 */
public final class RedisFixture implements BeforeEachCallback, AutoCloseable {

    /** Longer than a machine of a build may stand still. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** How often a waiting test looks: most of what is waited for takes a few milliseconds. */
    private static final Duration LOOK = Duration.ofMillis(10);

    private final List<RedisClient> clients = new CopyOnWriteArrayList<>();
    private final ClientResources sharedResources = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .build();
    private final ClientResources resources = RedisConnections.resources(sharedResources);
    private final List<String> options;
    private final RedisCommands<byte[], byte[]> bytes;
    private final RedisCommands<String, String> texts;
    private final RedisAsyncCommands<String, String> async;
    private EmbeddedRedis server;

    private RedisFixture(EmbeddedRedis server, List<String> options) {
        Awaitility.setDefaultPollInterval(LOOK);
        this.server = server;
        this.options = options;
        RedisClient client = RedisClient.create(resources, uri(Duration.ofSeconds(60), server.port()));
        clients.add(client);
        StatefulRedisConnection<byte[], byte[]> byteConnection = client.connect(ByteArrayCodec.INSTANCE);
        StatefulRedisConnection<String, String> textConnection = client.connect(StringCodec.UTF8);
        bytes = byteConnection.sync();
        texts = textConnection.sync();
        async = textConnection.async();
    }

    /** Starts a server with these options of redis-server. */
    public static RedisFixture start(String... options) {
        return new RedisFixture(EmbeddedRedis.start(options), List.of(options));
    }

    /** Starts a server from this program. It can't be started again. */
    public static RedisFixture startProgram(Path program) {
        return new RedisFixture(EmbeddedRedis.builder().program(program).start(), List.of());
    }

    /** Connections as the library opens them, with a command timeout of 60 s. */
    public RedisConnections connections(String prefix) {
        return connections(prefix, TIMEOUT);
    }

    /** Connections as the library opens them. */
    public RedisConnections connections(String prefix, Duration timeout) {
        return connections(prefix, timeout, server.port());
    }

    /** The same to another port of this machine, such as a {@link RedisProxy}'s. */
    public RedisConnections connections(String prefix, int port) {
        return connections(prefix, TIMEOUT, port);
    }

    /** Connections as the library opens them, to another port of this machine, such as a {@link RedisProxy}'s. */
    public RedisConnections connections(String prefix, Duration timeout, int port) {
        return connections(new RedisKeys(prefix), timeout, port);
    }

    /** Connections as the library opens them, for other keys. */
    public RedisConnections connections(RedisKeys keys, Duration timeout) {
        return connections(keys, timeout, server.port());
    }

    /** Connections as the library opens them, for other keys and to another port of this machine. */
    public RedisConnections connections(RedisKeys keys, Duration timeout, int port) {
        RedisClient client = client(timeout, uri(timeout, port));
        return new RedisConnections(() -> client, keys, timeout);
    }

    /** Connections as the library opens them, as a user with few rights and for the keys that it may use. */
    public RedisConnections connections(DocumentedAcl acl) {
        return connections(acl, acl.prefix());
    }

    /** The same for other keys. */
    public RedisConnections connections(DocumentedAcl acl, String prefix) {
        RedisURI uri = uri(TIMEOUT, server.port());
        acl.apply(uri);
        RedisClient client = client(TIMEOUT, uri);
        return new RedisConnections(() -> client, new RedisKeys(prefix), TIMEOUT);
    }

    private RedisURI uri(Duration timeout, int port) {
        RedisURI uri = RedisURI.create(server.host(), port);
        uri.setTimeout(timeout);
        return uri;
    }

    private RedisClient client(Duration timeout, RedisURI uri) {
        RedisClient client = new AsyncRedisClient(resources, uri);
        client.setOptions(RedisConnections.options(ClientOptions.create(), timeout));
        clients.add(client);
        return client;
    }

    /** Any command on text, over the test's own connection; waits while the server is away. */
    public RedisCommands<String, String> texts() {
        return texts;
    }

    /** Any command on bytes, over the test's own connection; waits while the server is away. */
    public RedisCommands<byte[], byte[]> bytes() {
        return bytes;
    }

    /** Commands of the test's own connection that don't wait for each other, made from each number below a count. */
    public void pipeline(int count, BiConsumer<RedisAsyncCommands<String, String>, Integer> commands) {
        for (int i = 0; i < count; i++) {
            commands.accept(async, i);
        }
        texts.ping();
    }

    /** Everything that is stored: key to serialized value in hexadecimal, expiry times left out. */
    public SortedMap<String, String> snapshot() {
        SortedMap<String, String> stored = new TreeMap<>();
        for (String key : texts.keys("*")) {
            stored.put(key, HexFormat.of().formatHex(texts.dump(key)));
        }
        return stored;
    }

    /**
     * A figure of the server's own statistics, or 0 if it is missing.
     *
     * @param pattern its first group is the figure
     */
    public long stat(String section, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(texts.info(section));
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    /** The number of executions of a command, such as {@code evalsha}, since the last {@code CONFIG RESETSTAT}. */
    public long calls(String command) {
        return stat("commandstats", "cmdstat_" + command + ":calls=(\\d+),");
    }

    /** A registered one is empty when a test begins. */
    @Override
    public void beforeEach(ExtensionContext test) {
        flush();
    }

    /** Removes all data, and nothing else: cached scripts and settings stay. */
    public void flush() {
        texts.flushall();
    }

    public int port() {
        return server.port();
    }

    /** The process id of the server, to freeze or kill it. */
    public long pid() {
        return server.pid();
    }

    /** Stops the server. Its data are lost, except with {@code --appendonly} in a directory of its own. */
    public void stop() {
        server.close();
    }

    /** Starts a stopped server on its port again. */
    public void startAgain() {
        server = EmbeddedRedis.builder()
                .port(server.port())
                .options(options.toArray(String[]::new))
                .start();
    }

    /** Closes all connections and stops the server. */
    @Override
    public void close() {
        for (RedisClient client : clients) {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
        resources.shutdown(0, 2, TimeUnit.SECONDS);
        sharedResources.shutdown(0, 2, TimeUnit.SECONDS);
        server.close();
    }
}
