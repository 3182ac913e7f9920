package dev.jobs.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/** Stands between a client and a server and measures each request, and each answer with its request. */
public final class MeteredProxy implements AutoCloseable {

    /**
     * A request.
     *
     * @param begin its first bytes: the command, and the digest of a script
     * @param bytes its size
     */
    public record Request(String begin, long bytes) {}

    private final ServerSocket listening;
    private final int target;
    private final BiConsumer<Request, Long> answered;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong largestBurst = new AtomicLong();

    /**
     * @param target the port of the server
     * @param answered called with each request and the size of its answer, before the answer arrives
     */
    public MeteredProxy(int target, BiConsumer<Request, Long> answered) {
        this.target = target;
        this.answered = answered;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("accept", this::accept);
    }

    /** The most bytes of answers on one connection while a request waited: a caller may hold all of them at once. */
    public long largestBurst() {
        return largestBurst.get();
    }

    public int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(server);
                Queue<Request> asked = new ConcurrentLinkedQueue<>();
                start("to-server", () -> pump(client, server, (begin, bytes) -> asked.add(new Request(begin, bytes))));
                AtomicLong burst = new AtomicLong();
                start(
                        "to-client",
                        () -> pump(server, client, (begin, bytes) -> {
                            if (!begin.startsWith(">")) {
                                answered.accept(asked.remove(), bytes);
                                long together = burst.addAndGet(bytes);
                                largestBurst.accumulateAndGet(together, Math::max);
                                if (asked.isEmpty()) {
                                    burst.set(0);
                                }
                            }
                        }));
            }
        } catch (IOException closed) {
            // the end of this proxy, or of the server
        }
    }

    private static void pump(Socket from, Socket to, BiConsumer<String, Long> frames) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            Meter meter = new Meter(frames);
            byte[] buffer = new byte[65_536];
            for (int size = in.read(buffer); size >= 0; size = in.read(buffer)) {
                meter.feed(buffer, size);
                out.write(buffer, 0, size);
            }
        } catch (IOException closed) {
            // by one side, or by the pump of the other direction
        }
    }

    /** Counts the bytes of the commands or answers in a stream, in Redis' protocol. */
    private static final class Meter {

        private static final int MOST_BEGIN = 100;

        private final BiConsumer<String, Long> frames;
        private final StringBuilder begin = new StringBuilder();
        private final StringBuilder line = new StringBuilder();
        private long bytes;
        private long parts = 1;
        private long skip;

        Meter(BiConsumer<String, Long> frames) {
            this.frames = frames;
        }

        void feed(byte[] stream, int size) {
            int at = 0;
            while (at < size) {
                if (begin.length() < MOST_BEGIN) {
                    begin.append((char) (stream[at] & 0xff));
                }
                if (skip > 0) {
                    long skipped = begin.length() < MOST_BEGIN ? 1 : Math.min(skip, size - at);
                    skip -= skipped;
                    at += (int) skipped;
                    bytes += skipped;
                    end(skip == 0);
                } else {
                    char next = (char) (stream[at++] & 0xff);
                    bytes++;
                    line.append(next);
                    if (next == '\n') {
                        begin(line.charAt(0), line.substring(1, line.length() - 2));
                        line.setLength(0);
                    }
                }
            }
        }

        private void begin(char type, String rest) {
            switch (type) {
                case '*', '~', '>' -> parts += Math.max(0, Long.parseLong(rest));
                case '%' -> parts += 2 * Long.parseLong(rest);
                case '$', '=', '!' -> skip = Math.max(0, Long.parseLong(rest) + 2);
                default -> {} // one line is all
            }
            if (rest.equals("-1")) {
                skip = 0;
            }
            end(skip == 0);
        }

        private void end(boolean ofPart) {
            if (ofPart && --parts == 0) {
                frames.accept(begin.toString(), bytes);
                begin.setLength(0);
                bytes = 0;
                parts = 1;
            }
        }
    }

    private void start(String duty, Runnable work) {
        Thread thread = new Thread(work, "metered-proxy-" + duty + "-" + port());
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listening.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
