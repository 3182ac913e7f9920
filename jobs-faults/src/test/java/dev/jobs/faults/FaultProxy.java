package dev.jobs.faults;

import dev.jobs.faults.Fault.Delivery;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A proxy on loopback between one process and Redis, which parses the traffic and can fail at any point.
 * Commands and answers pass whole, one after the other, and a {@link Fault} decides about each. The exception is the
 * answer that Redis doesn't know a script yet: the client sends the same command once more, with the script.
 */
final class FaultProxy implements AutoCloseable {

    private static final int LITTLE = 64 * 1_024;

    private final ServerSocket listening;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Throttle commands = new Throttle();
    private final Throttle answers = new Throttle();
    private final ConnectionTable table = new ConnectionTable();
    private volatile Fault fault = Fault.NONE;
    private volatile boolean down;

    /** @param target the port of the server */
    FaultProxy(int target) {
        this.target = target;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        carry("accept", this::accept);
    }

    String uri() {
        return "redis://127.0.0.1:" + listening.getLocalPort();
    }

    /** Applies this fault from now on. */
    void fault(Fault now) {
        fault = now;
    }

    /**
     * From now on limits each direction to this number of bytes per second, 1 or more, over all connections together.
     */
    void limit(long bytesPerSecond) {
        commands.limit(bytesPerSecond);
        answers.limit(bytesPerSecond);
        try {
            // or the system would accept megabytes from a client at once, and keep them after it disconnects
            listening.setReceiveBufferSize(LITTLE);
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** From now on a connection that was quiet for this time stays open but carries nothing more. */
    void forgetAfter(Duration idle) {
        table.keepFor(idle);
    }

    /** The number of forgotten connections that were used again so far. */
    int forgotten() {
        return table.forgotten();
    }

    /** Ends all faults. */
    void heal() {
        fault = Fault.NONE;
        down = false;
        commands.limit(0);
        answers.limit(0);
        table.keepFor(Duration.ZERO);
    }

    /** Closes all connections, and refuses new ones until it is healed. */
    void down() {
        down = true;
        sockets.forEach(FaultProxy::close);
    }

    /** Closes all connections. */
    void cut() {
        sockets.forEach(FaultProxy::close);
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            try {
                connect(client);
            } catch (IOException refused) {
                client.close();
            }
        }
    }

    private void connect(Socket client) throws IOException {
        if (down) {
            throw new IOException("down");
        }
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        Queue<Command> unanswered = new ConcurrentLinkedQueue<>();
        ConnectionTable.Line line = table.line();
        carry("commands", () -> commands(client, server, unanswered, line));
        carry("answers", () -> answers(server, client, unanswered, line));
    }

    private void commands(Socket client, Socket server, Queue<Command> unanswered, ConnectionTable.Line line)
            throws IOException {
        try (client;
                server) {
            RespFrames frames = new RespFrames(commands.through(client.getInputStream()));
            OutputStream out = server.getOutputStream();
            boolean mute = false;
            for (byte[] frame = frames.next(); frame != null; frame = frames.next()) {
                Command command = Command.parse(frame);
                mute |= !line.isKnown();
                Delivery delivery = mute ? Delivery.MUTE : fault.command(command);
                mute = delivery == Delivery.MUTE;
                if (delivery == Delivery.PASS) {
                    unanswered.add(command);
                    out.write(frame);
                } else if (delivery != Delivery.MUTE) {
                    end(client, delivery);
                    return;
                }
            }
        } finally {
            forget(client, server);
        }
    }

    private void answers(Socket server, Socket client, Queue<Command> unanswered, ConnectionTable.Line line)
            throws IOException {
        try (client;
                server) {
            RespFrames frames = new RespFrames(answers.through(server.getInputStream()));
            OutputStream out = client.getOutputStream();
            boolean mute = false;
            for (byte[] frame = frames.next(); frame != null; frame = frames.next()) {
                mute |= !line.isKnown();
                Delivery delivery = mute ? Delivery.MUTE : Delivery.PASS;
                if (!RespFrames.isPush(frame)) {
                    Command command = unanswered.remove();
                    delivery = mute || RespFrames.isUnknownScript(frame) ? delivery : fault.answer(command);
                    mute = delivery == Delivery.MUTE;
                }
                if (delivery == Delivery.PASS) {
                    out.write(frame);
                } else if (delivery != Delivery.MUTE) {
                    out.write(frame, 0, delivery == Delivery.TORN ? frame.length / 2 : 0);
                    end(client, delivery);
                    return;
                }
            }
        } finally {
            forget(client, server);
        }
    }

    private static void end(Socket client, Delivery delivery) throws IOException {
        if (delivery == Delivery.RESET) {
            client.setSoLinger(true, 0);
        }
    }

    private void forget(Socket client, Socket server) {
        sockets.remove(client);
        sockets.remove(server);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Work that ends when a connection does. */
    private interface Carrying {
        void run() throws IOException;
    }

    private void carry(String duty, Carrying work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        // by one side, by the other direction, or by a fault
                    }
                },
                "proxy-" + duty + "-" + listening.getLocalPort());
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
        cut();
    }
}
