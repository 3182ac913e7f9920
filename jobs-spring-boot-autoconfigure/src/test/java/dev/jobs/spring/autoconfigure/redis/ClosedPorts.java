package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The ports of servers that a test has closed, where nothing listens until the end of the test: the server of another
 * test could be given such a port, and would answer in its stead.
 */
public final class ClosedPorts implements AutoCloseable {

    private final List<SocketChannel> bound = new ArrayList<>();

    /** Closes a server and keeps its port. */
    public void close(EmbeddedRedis redis) {
        redis.close();
        try {
            SocketChannel socket = SocketChannel.open();
            bound.add(socket);
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true); // its connections may linger
            socket.bind(new InetSocketAddress("127.0.0.1", redis.port()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel each : bound) {
            each.close();
        }
    }
}
