package dev.jobs.faults;

import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A redis-server that can be killed, frozen and restarted at the same address. */
final class RedisServer implements AutoCloseable {

    private final Path directory;
    private final List<String> options;
    private EmbeddedRedis redis;

    /** @param directory for its data, if the options enable persistence */
    RedisServer(Path directory, String... options) {
        this.directory = directory;
        this.options = List.of(options);
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        redis = builder().start();
    }

    private EmbeddedRedis.Builder builder() {
        return EmbeddedRedis.builder().directory(directory).options(options.toArray(String[]::new));
    }

    int port() {
        return redis.port();
    }

    long pid() {
        return redis.pid();
    }

    String uri() {
        return redis.uri();
    }

    /** Kills it, so that it can't write anything. */
    void kill() {
        Signals.send("KILL", redis.pid());
        redis.close();
    }

    /** Stops it as an administrator would. */
    void stop() {
        redis.close();
    }

    void startAgain() {
        redis = builder().port(redis.port()).start();
    }

    void freeze() {
        Signals.send("STOP", redis.pid());
    }

    void thaw() {
        Signals.send("CONT", redis.pid());
    }

    @Override
    public void close() {
        redis.close();
    }
}
