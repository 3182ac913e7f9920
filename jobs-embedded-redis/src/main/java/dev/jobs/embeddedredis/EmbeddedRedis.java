package dev.jobs.embeddedredis;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server that lives no longer than this JVM: it listens on this machine only, keeps nothing on disk unless
 * asked to, and ends on {@link #close()} or when the JVM ends, for whatever reason.
 *
 * <pre>{@code
 * try (EmbeddedRedis redis = EmbeddedRedis.start()) {
 *     RedisClient client = RedisClient.create(redis.uri());
 * }
 * }</pre>
 *
 * <p>Anyone who can connect to this machine's loopback can use it, unless it is started {@link Builder#withPassword() with a
 * password}.
 *
 * <p>The server is a {@code redis-server} or {@code valkey-server} from the {@code PATH}, or else the bundled one. It
 * needs Linux or macOS.
 */
public final class EmbeddedRedis implements AutoCloseable {

    static final String HOST = "127.0.0.1";

    private final RedisBinary binary;
    private final int port;
    private final @Nullable String password;
    private final long pid;
    private final Watchdog watchdog;
    private final AtomicBoolean closed = new AtomicBoolean();

    EmbeddedRedis(RedisBinary binary, int port, @Nullable String password, long pid, Watchdog watchdog) {
        this.binary = binary;
        this.port = port;
        this.password = password;
        this.pid = pid;
        this.watchdog = watchdog;
    }

    /**
     * Starts a server on a free port, without a password, and waits until it answers.
     *
     * @param options options of redis-server, for example {@code "--maxmemory", "10mb"}
     * @throws UnsupportedPlatformException if there is no server program for this machine
     * @throws EmbeddedRedisException if it doesn't start
     */
    public static EmbeddedRedis start(String... options) {
        return builder().options(options).start();
    }

    /** Starts from a free port, no password, no data on disk and no further options. */
    public static Builder builder() {
        return new Builder();
    }

    /** The address it listens on: always this machine's loopback. */
    public String host() {
        return HOST;
    }

    /** The port it listens on. */
    public int port() {
        return port;
    }

    /** The process id of the server, for stopping, freezing or killing it. */
    public long pid() {
        return pid;
    }

    /** The password of its default user; null if it was started without one. */
    @Nullable public String password() {
        return password;
    }

    /** The address in the form for Redis clients and {@code spring.data.redis.url}, with the password. */
    public String uri() {
        return "redis://" + (password == null ? "" : ":" + password + "@") + HOST + ":" + port;
    }

    /** Ends the server and waits for its end. Further calls do nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            if (watchdog.isServerAlive()) { // or the port may be another server's by now
                RedisProbe.shutDown(port, password);
            }
            watchdog.stop();
        }
    }

    /** For people and logs: says where the password is, and not what it is. */
    @Override
    public String toString() {
        return "redis://" + HOST + ":" + port + ", process " + pid + ", " + binary
                + (password == null ? "" : ", its password in " + watchdog.configuration());
    }

    /** Configures and starts a server. */
    public static final class Builder {

        private final List<String> options = new ArrayList<>();
        private @Nullable RedisBinary binary;
        private @Nullable Path directory;
        private @Nullable String password;
        private PortChoice ports = PortChoice.free();

        private Builder() {}

        /** Uses this port instead of a free one, for instance to restart a server at the same address. */
        public Builder port(int port) {
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("'port' must be from 1 to 65535 but was " + port);
            }
            return ports(PortChoice.fixed(port));
        }

        /**
         * Uses an existing directory for the data instead of a temporary one. It is not deleted, so that with
         * {@code --appendonly yes} a later server finds the data again.
         */
        public Builder directory(Path directory) {
            this.directory = directory;
            return this;
        }

        /**
         * Asks clients for a password: a random one, the same for all servers of this builder. It is in {@link #uri()},
         * and on this machine in a file that only this user may read, never in the arguments of a process.
         */
        public Builder withPassword() {
            byte[] random = new byte[16];
            new SecureRandom().nextBytes(random);
            password = HexFormat.of().formatHex(random);
            return this;
        }

        /** Adds options of redis-server; they override those of this class, except for address, port and directory. */
        public Builder options(String... options) {
            this.options.addAll(List.of(options));
            return this;
        }

        /** Uses this server program, of whatever version, instead of one from the {@code PATH} or the bundled one. */
        public Builder program(Path program) {
            return binary(new RedisBinary(program, "given"));
        }

        Builder binary(RedisBinary binary) {
            this.binary = binary;
            return this;
        }

        Builder ports(PortChoice ports) {
            this.ports = ports;
            return this;
        }

        /**
         * Starts the server and waits until it answers.
         *
         * @throws UnsupportedPlatformException if there is no server program for this machine
         * @throws EmbeddedRedisException if it doesn't start
         */
        public EmbeddedRedis start() {
            RedisBinary chosen = binary != null ? binary : RedisBinary.find();
            return new Launcher(chosen, directory, password, options).launch(ports);
        }
    }
}
