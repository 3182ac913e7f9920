package dev.jobs.benchmarks.driver;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The Redis under the measurements, observed over a separate socket, independent of any driver's client. */
public final class RedisServer {

    private final URI uri;

    public RedisServer(String uri) {
        this.uri = URI.create(uri);
    }

    public void clear() {
        ask("FLUSHALL");
    }

    /**
     * The work of the server so far: calls of scripts and the time in them, commands (including those inside scripts),
     * reads from sockets (about one per round trip of a client), and processor time.
     */
    public Map<String, Long> counters() {
        Map<String, Long> counters = new LinkedHashMap<>();
        long all = 0;
        long scripts = 0;
        long scriptMicros = 0;
        for (String line : ask("INFO commandstats").split("\r\n")) {
            if (line.startsWith("cmdstat_")) {
                long calls = Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(',')));
                all += calls;
                if (line.startsWith("cmdstat_eval") || line.startsWith("cmdstat_fcall")) {
                    scripts += calls;
                    int micros = line.indexOf("usec=") + 5;
                    scriptMicros += Long.parseLong(line.substring(micros, line.indexOf(',', micros)));
                }
            }
        }
        counters.put("redis_script_calls", scripts);
        counters.put("redis_script_nanos", scriptMicros * 1_000);
        counters.put("redis_commands", all);
        counters.put("redis_reads", Math.round(figures("INFO stats", "total_reads_processed")));
        counters.put("redis_cpu_nanos", Math.round(figures("INFO cpu", "used_cpu_sys", "used_cpu_user") * 1e9));
        return counters;
    }

    /** The growth of the counters. */
    public Map<String, Long> since(Map<String, Long> before) {
        Map<String, Long> growth = new LinkedHashMap<>();
        counters().forEach((name, value) -> growth.put(name, value - before.get(name)));
        return growth;
    }

    /** The memory that it uses for data and for itself, in bytes. */
    public long memory() {
        return Math.round(figures("INFO memory", "used_memory"));
    }

    /** The sum of these figures. */
    private double figures(String command, String... names) {
        Set<String> wanted = Set.of(names);
        double sum = 0;
        for (String line : ask(command).split("\r\n")) {
            int colon = line.indexOf(':');
            if (colon > 0 && wanted.contains(line.substring(0, colon))) {
                sum += Double.parseDouble(line.substring(colon + 1));
            }
        }
        return sum;
    }

    /** The answer to one command without binary arguments, as text; null becomes empty. */
    public String ask(String command) {
        try (Socket socket = new Socket(uri.getHost(), uri.getPort() < 0 ? 6379 : uri.getPort())) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            if (uri.getUserInfo() != null) {
                send(
                        socket,
                        "AUTH " + uri.getUserInfo().substring(uri.getUserInfo().indexOf(':') + 1));
                reply(in);
            }
            send(socket, command);
            return reply(in);
        } catch (IOException e) {
            throw new UncheckedIOException("Redis at " + uri.getHost() + ":" + uri.getPort(), e);
        }
    }

    private static void send(Socket socket, String command) throws IOException {
        socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String reply(InputStream in) throws IOException {
        String line = line(in);
        switch (line.charAt(0)) {
            case '$':
                int length = Integer.parseInt(line.substring(1));
                if (length < 0) {
                    return "";
                }
                byte[] bytes = in.readNBytes(length);
                line(in);
                return new String(bytes, StandardCharsets.UTF_8);
            case '-':
                throw new IOException(line);
            default:
                return line.substring(1);
        }
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException();
            }
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }
}
