package dev.jobs.embeddedredis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.function.IntSupplier;

/**
 * Chooses the port of a server.
 *
 * @param next returns a port to try
 * @param attempts how many ports may be in use before startup fails
 */
record PortChoice(IntSupplier next, int attempts) {

    static PortChoice fixed(int port) {
        return new PortChoice(() -> port, 1);
    }

    static PortChoice free() {
        return anyOf(PortChoice::findFree);
    }

    /** A free port may be taken before the server binds it, so there is more than one attempt. */
    static PortChoice anyOf(IntSupplier ports) {
        return new PortChoice(ports, 10);
    }

    private static int findFree() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(EmbeddedRedis.HOST))) {
            return socket.getLocalPort();
        } catch (IOException ex) {
            throw new UncheckedIOException("This machine has no free port", ex);
        }
    }
}
