package dev.jobs.dashboard;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stands before a Redis, and can keep back its answers to the connections of one name. */
public final class MutableProxy implements AutoCloseable {

    private final ServerSocket listening;
    private final int target;
    private final String name;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean mute;

    /** @param name what the connections call themselves that can be muted */
    public MutableProxy(int target, String name) {
        this.target = target;
        this.name = name;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** From now on requests of that name arrive, and their answers don't. */
    public void mute(boolean muted) {
        mute = muted;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(server);
                AtomicBoolean named = new AtomicBoolean();
                start(() -> pump(client, server, named, false));
                start(() -> pump(server, client, named, true));
            }
        } catch (IOException closed) {
            // the end of this proxy, or of the server
        }
    }

    private void pump(Socket from, Socket to, AtomicBoolean named, boolean answers) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[65_536];
            for (int size = in.read(buffer); size >= 0; size = in.read(buffer)) {
                if (!answers && new String(buffer, 0, size, ISO_8859_1).contains(name)) {
                    named.set(true);
                }
                if (!(answers && mute && named.get())) {
                    out.write(buffer, 0, size);
                }
            }
        } catch (IOException closed) {
            // by one side, or by the pump of the other direction
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void start(Runnable work) {
        Thread thread = new Thread(work, "mutable-proxy-" + port());
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
