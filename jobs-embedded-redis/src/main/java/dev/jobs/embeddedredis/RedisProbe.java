package dev.jobs.embeddedredis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Asks a server on this machine one question, without a Redis client. */
final class RedisProbe {

    private static final int TIMEOUT_MILLIS = 1_000;

    private RedisProbe() {}

    /**
     * Whether the server with this process id answers on the port and has loaded its data: any other server there took
     * the port first. A server that denies the question counts too, since it can't be queried further.
     *
     * @param password that of the server, if it is known
     */
    static boolean isServing(int port, long pid, @Nullable String password) {
        try (Socket socket = connect(port)) {
            BufferedReader reply = send(socket, password == null ? "INFO" : "AUTH " + password + "\r\nINFO");
            boolean isOurs = false;
            for (String line = reply.readLine(); line != null; line = reply.readLine()) {
                if (line.startsWith("-")) {
                    return line.startsWith("-NOAUTH");
                }
                isOurs |= line.equals("process_id:" + pid);
                if (line.startsWith("loading:")) {
                    return isOurs && line.equals("loading:0");
                }
            }
            return false;
        } catch (IOException ex) {
            return false; // not listening yet
        }
    }

    /** The unchanged first line of the reply. */
    static String ask(int port, String command) throws IOException {
        try (Socket socket = connect(port)) {
            return String.valueOf(send(socket, command).readLine());
        }
    }

    /**
     * Asks the server to end, and awaits nothing: after a signal alone it goes on until its next tick, up to a tenth of a
     * second. One that can't be asked is left to the signal.
     */
    static void shutDown(int port, @Nullable String password) {
        try (Socket socket = connect(port)) {
            send(socket, password == null ? "SHUTDOWN" : "AUTH " + password + "\r\nSHUTDOWN");
        } catch (IOException ex) {
            // the signal comes next
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(EmbeddedRedis.HOST, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            return socket;
        } catch (IOException ex) {
            socket.close();
            throw ex;
        }
    }

    private static BufferedReader send(Socket socket, String command) throws IOException {
        socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }
}
