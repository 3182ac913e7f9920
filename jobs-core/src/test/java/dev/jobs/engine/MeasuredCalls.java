package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Scripts;
import dev.jobs.testing.MeteredProxy;
import dev.jobs.testing.MeteredProxy.Request;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Connections to Redis whose calls are measured, by the name of their script or of their command. */
public final class MeasuredCalls implements AutoCloseable {

    /** So that few and small jobs are as many as a call carries. */
    public static final CallBounds SMALL = new CallBounds(1 << 15);

    /**
     * What all calls of one name have in common.
     *
     * @param bytes of all requests together
     * @param request bytes of the largest one
     * @param answer bytes of the largest answer
     * @param words the number of keys and arguments of the longest request, with what precedes them
     */
    public record Measured(long calls, long bytes, long request, long answer, long words) {

        private Measured and(Measured other) {
            return new Measured(
                    calls + other.calls,
                    bytes + other.bytes,
                    Math.max(request, other.request),
                    Math.max(answer, other.answer),
                    Math.max(words, other.words));
        }
    }

    /** Scripts that carry one batch with its callbacks. */
    private static final Set<String> OF_A_BATCH = Set.of("batch_create", "batch_define", "batch_finish", "batch_read");

    private final RedisFixture redis;
    private final CallBounds bounds;
    private final Map<String, String> scripts;
    private final Map<String, Measured> byName = new ConcurrentHashMap<>();
    private final MeteredProxy proxy;

    public MeasuredCalls(RedisFixture redis) {
        this(redis, CallBounds.STANDARD);
    }

    public MeasuredCalls(RedisFixture redis, CallBounds bounds) {
        this.redis = redis;
        this.bounds = bounds;
        this.scripts = Scripts.names().stream().collect(Collectors.toMap(Scripts::digest, name -> name));
        // Else the first call of each has its source, of which the proxy sees only what all have in common.
        scripts.values().forEach(name -> redis.texts().scriptLoad(Scripts.source(name)));
        this.proxy = new MeteredProxy(redis.port(), this::measure);
    }

    public RedisConnections connections(RedisKeys keys) {
        return redis.connections(keys, Duration.ofSeconds(30), proxy.port()).withBounds(bounds);
    }

    /** The bytes of a large job: a little more than a call carries. */
    public int job() {
        return bounds.bytes() + bounds.bytes() / 20;
    }

    /** An argument of such a job. */
    public String ballast() {
        return "x".repeat(job() - 300);
    }

    /** Everything but payloads. */
    public int rest() {
        return bounds.bytes() / 10;
    }

    /** A move carries a job twice: with its old and with its new payload. */
    private long largestRequest() {
        return 2L * job() + rest();
    }

    /** An answer is cut once it is as large as a call may be, so one more job may exceed that. */
    private long largestAnswer() {
        return (long) bounds.bytes() + job() + rest();
    }

    /** The last step of a scan is answered by all entries that share a bucket of the server's table: seven in Valkey 8. */
    private long largestScan() {
        return bounds.bytes() + 8L * job() + rest();
    }

    private void measure(Request request, long answer) {
        String[] lines = request.begin().split("\r\n");
        String command = lines.length < 3 ? lines[0] : lines[2];
        String name = command.equals("EVALSHA") ? scripts.getOrDefault(lines[4], lines[4]) : command;
        long words = Long.parseLong(lines[0].substring(1));
        byName.merge(name, new Measured(1, request.bytes(), request.bytes(), answer, words), Measured::and);
    }

    /** A batch may have four callbacks, each as large as a job. */
    public long largestBatch() {
        return bounds.bytes() + 4L * job() + rest();
    }

    /** Bytes that were answered together, to commands that were sent one behind the other. */
    public long together() {
        return proxy.largestBurst();
    }

    /** The calls of a script, such as {@code claim}, or of a command, such as {@code HELLO}. */
    public Measured of(String name) {
        return byName.getOrDefault(name, new Measured(0, 0, 0, 0, 0));
    }

    /** Whatever was called carried as much of jobs as it may or a single one, and these scripts were called. */
    public void assertSmall(String... called) {
        assertThat(byName).containsKeys(called).allSatisfy((name, measured) -> {
            boolean ofABatch = OF_A_BATCH.contains(name);
            assertThat(measured.request())
                    .as("request of %s", name)
                    .isLessThan(ofABatch ? largestBatch() : largestRequest());
            assertThat(measured.answer())
                    .as("answer to %s", name)
                    .isLessThan(name.equals("scan") ? largestScan() : ofABatch ? largestBatch() : largestAnswer());
        });
    }

    @Override
    public void close() {
        proxy.close();
    }
}
