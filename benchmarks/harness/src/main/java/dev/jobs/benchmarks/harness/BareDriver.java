package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.BenchmarkDriver;
import dev.jobs.benchmarks.driver.Tally;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The possible result without any library: the fewest commands that a worker with a list of jobs in progress needs. */
abstract class BareDriver implements BenchmarkDriver {

    static final byte[] QUEUE = bytes("queue:default");
    static final byte[] IN_PROGRESS = bytes("in-progress");

    private static final int SLICE = 1_000;

    private final JsonMapper json = new JsonMapper();
    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> producer;
    private final List<Thread> threads = new ArrayList<>();
    private final List<StatefulRedisConnection<byte[], byte[]>> connections = new ArrayList<>();
    private volatile @Nullable Tally tally;

    BareDriver(String uri) {
        client = RedisClient.create(uri);
        producer = client.connect(ByteArrayCodec.INSTANCE);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A payload as large as those of the real libraries. */
    private static byte[] payload(String arguments) {
        return bytes("{\"retry\":true,\"queue\":\"default\",\"class\":\"Work.run\",\"args\":" + arguments
                + ",\"jid\":\"0123456789abcdef01234567\",\"created_at\":1700000000000,\"enqueued_at\":1700000000000}");
    }

    @Override
    public final void enqueueSingly(int jobs) {
        for (int i = 0; i < jobs; i++) {
            producer.sync().lpush(QUEUE, payload("[]"));
        }
    }

    @Override
    public final void enqueueInBulk(int jobs) {
        for (int left = jobs; left > 0; left -= SLICE) {
            byte[][] slice = new byte[Math.min(left, SLICE)][];
            for (int i = 0; i < slice.length; i++) {
                slice[i] = payload("[]");
            }
            producer.sync().lpush(QUEUE, slice);
        }
    }

    @Override
    public void enqueueTimed(long id) {
        producer.sync().lpush(QUEUE, payload("[" + id + "]"));
    }

    @Override
    public final void scheduleTimed(List<Long> ids, Instant at) {
        throw new UnsupportedOperationException("a bare loop has no schedule");
    }

    @Override
    public final void startWorkers(int concurrency, Tally tally) {
        this.tally = tally;
        start(concurrency);
    }

    abstract void start(int concurrency);

    final StatefulRedisConnection<byte[], byte[]> connect() {
        StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        connections.add(connection);
        return connection;
    }

    /** Starts a thread that ends by interruption. */
    final void thread(Interruptible loop) {
        Thread thread = new Thread(() -> {
            try {
                loop.run();
            } catch (InterruptedException | io.lettuce.core.RedisCommandInterruptedException e) {
                // the end
            }
        });
        threads.add(thread);
        thread.start();
    }

    /** Reads a job and runs it. */
    final void perform(byte[] payload) {
        Tally told = tally;
        JsonNode arguments = json.readTree(payload).get("args");
        if (told == null) {
            throw new IllegalStateException("no workers were started");
        }
        if (arguments.isEmpty()) {
            told.ran();
        } else {
            told.ran(arguments.get(0).asLong());
        }
    }

    @Override
    public final void stopWorkers() throws InterruptedException {
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            thread.join();
        }
        threads.clear();
        connections.forEach(StatefulRedisConnection::close);
        connections.clear();
    }

    @Override
    public final void close() throws InterruptedException {
        stopWorkers();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    /** The work of a thread. */
    interface Interruptible {
        void run() throws InterruptedException;
    }
}
