package dev.jobs.benchmarks.harness;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.BenchmarkDriver;
import dev.jobs.benchmarks.driver.Tally;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** The possible result without any library: the fewest commands that a worker with a list of jobs in progress needs. */
abstract class BareDriver implements BenchmarkDriver {

    static final byte[] QUEUE = bytes("queue:default");
    static final byte[] IN_PROGRESS = bytes("in-progress");

    private static final int SLICE = 1_000;

    /** The arguments are an array. Unknown members are ignored. */
    private final ObjectReader reader = JsonMapper.builder()
            .withConfigOverride(
                    Arguments.class, config -> config.setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.ARRAY)))
            .build()
            .readerFor(Payload.class);

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

    /** The bytes that this library stores for a job. */
    private static byte[] payload(Arguments arguments) {
        return bytes("{\"retry\":true,\"queue\":\"default\",\"class\":\"Work.run\",\"args\":" + arguments.json()
                + ",\"jid\":\"0123456789abcdef01234567\",\"created_at\":1700000000000,\"enqueued_at\":1700000000000}");
    }

    @Override
    public final void enqueueSingly(Arguments arguments, int jobs) {
        byte[] payload = payload(arguments);
        for (int i = 0; i < jobs; i++) {
            push(payload);
        }
    }

    @Override
    public final void enqueueInBulk(Arguments arguments, int jobs) {
        byte[] payload = payload(arguments);
        for (int left = jobs; left > 0; left -= SLICE) {
            byte[][] slice = new byte[Math.min(left, SLICE)][];
            Arrays.fill(slice, payload);
            push(slice);
        }
    }

    /** Puts some jobs into the queue. */
    void push(byte[]... payloads) {
        producer().lpush(QUEUE, payloads);
    }

    /** On the connection of all pushes. */
    final RedisCommands<byte[], byte[]> producer() {
        return producer.sync();
    }

    @Override
    public final void schedule(List<Arguments> jobs, Instant at) {
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

    /** Reads a job's three arguments, as a library has to, and runs it. */
    final void perform(byte[] payload) {
        Tally told = tally;
        if (told == null) {
            throw new IllegalStateException("no workers were started");
        }
        told.ran(reader.<Payload>readValue(payload).args().number());
    }

    /** What a worker needs of a payload. */
    record Payload(Arguments args) {}

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
