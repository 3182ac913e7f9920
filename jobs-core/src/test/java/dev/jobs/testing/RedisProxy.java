package dev.jobs.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between a client and a server, and can lose the server's answers or forget connections. */
public final class RedisProxy implements AutoCloseable {

    private final ServerSocket listening;
    private final int target;
    private final AtomicInteger answersToLose = new AtomicInteger();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger answersToPass = new AtomicInteger(Integer.MAX_VALUE);
    private volatile Runnable before = () -> {};
    private volatile Runnable beforeEach = () -> {};
    private volatile String heldText = "";
    private volatile CountDownLatch heldUntil = new CountDownLatch(0);
    private volatile boolean refuses;
    private volatile int deafUpTo;
    private volatile int muteUpTo;

    /** @param target the port of the server */
    public RedisProxy(int target) {
        this.target = target;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("accept", this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** Loses the next answers: instead of passing on the server's answer, it closes the connection on both sides. */
    public void loseAnswers(int count) {
        loseAnswers(count, () -> {});
    }

    /** Loses the next answers, and runs an action before closing each connection. */
    public void loseAnswers(int count, Runnable before) {
        this.before = before;
        answersToLose.set(count);
    }

    /** Runs an action before it passes on each answer. */
    public void beforeEachAnswer(Runnable action) {
        beforeEach = action;
    }

    /** Answers that contain a text wait, and with them the later ones of their connection. */
    public void holdAnswersWith(String text, CountDownLatch until) {
        heldUntil = until;
        heldText = text;
    }

    /** Passes on so many more answers, loses the next one, and carries nothing from then on. */
    public void cutAfter(int answers) {
        answersToPass.set(answers);
    }

    /** Whether it carries nothing any more. */
    public boolean isCut() {
        return listening.isClosed();
    }

    /** The number of answers still to be lost. */
    public int answersLeftToLose() {
        return Math.max(0, answersToLose.get());
    }

    /** The current connections carry nothing more in either direction, and stay open. */
    public void forget() {
        deafUpTo = opened.get();
        muteUpTo = opened.get();
    }

    /** The current connections carry no more answers, and stay open. */
    public void mute() {
        muteUpTo = opened.get();
    }

    /** Ends all connections, and each new one at once, as if the server were away. The port stays taken. */
    public void refuse() {
        refuses = true;
        closeSockets();
    }

    /** Carries new connections again. */
    public void admit() {
        refuses = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                if (refuses) {
                    client.close();
                    continue;
                }
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(server);
                int number = opened.incrementAndGet();
                start("to-server", () -> pump(client, server, number, false));
                start("to-client", () -> pump(server, client, number, true));
            }
        } catch (IOException closed) {
            // the end of this proxy, or of the server
        }
    }

    private void pump(Socket from, Socket to, int number, boolean answers) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[65_536];
            for (int size = in.read(buffer); size >= 0; size = in.read(buffer)) {
                if (answers) {
                    beforeEach.run();
                    hold(new String(buffer, 0, size, ISO_8859_1));
                }
                if (answers && answersToLose.get() > 0 && answersToLose.getAndDecrement() > 0) {
                    before.run();
                    return;
                }
                if (answers && answersToPass.getAndDecrement() <= 0) {
                    close();
                    return;
                }
                if (number > (answers ? muteUpTo : deafUpTo)) {
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

    private void hold(String answer) throws IOException {
        if (heldText.isEmpty() || !answer.contains(heldText)) {
            return;
        }
        try {
            heldUntil.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private void start(String duty, Runnable work) {
        Thread thread = new Thread(work, "redis-proxy-" + duty + "-" + port());
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        closeSockets();
    }

    private void closeSockets() {
        try {
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
