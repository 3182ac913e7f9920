package dev.jobs.metrics;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long executions ran and waited, by job and by queue, in each ten minutes. Each is a row of numbers: how many
 * executions that didn't fail ran for so long, in {@link DurationBuckets}; how many waited for so long; how many
 * failed. {@link JobMetrics} writes them. Thread-safe.
 */
@Internal
public final class JobTimings {

    /** The index of the first bucket of the waits. */
    public static final int WAITED = DurationBuckets.COUNT;

    /** The index of the failed executions. */
    public static final int FAILED = 2 * DurationBuckets.COUNT;

    /** How many numbers there are. */
    public static final int NUMBERS = FAILED + 1;

    private static final String JOB = "j";
    private static final String QUEUE = "q";
    private static final int HASHES_TOGETHER = 30;
    private static final int VALUES_TOGETHER = 120;
    private static final byte[] NOTHING = {};

    /** Larger numbers are not ours. */
    private static final long MOST = 1_000_000_000_000_000L;

    /**
     * Executions of a job or from a queue that are not stored yet.
     *
     * @param field whose they are
     * @param numbers at least those that are stored; more are ignored
     */
    public record Timed(String field, long[] numbers) {

        public static Timed job(String name, long[] numbers) {
            return new Timed(JOB + name, numbers);
        }

        public static Timed queue(String name, long[] numbers) {
            return new Timed(QUEUE + name, numbers);
        }

        /** Adds them to the numbers of each field. */
        public void addTo(Map<String, long[]> sums) {
            add(numbers, sums.computeIfAbsent(field, each -> new long[NUMBERS]));
        }

        /** As it is stored: {@code INDEX:COUNT} of each number that is not 0, with blanks between them. */
        byte[] text() {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < NUMBERS; i++) {
                if (numbers[i] > 0) {
                    text.append(text.isEmpty() ? "" : " ").append(i).append(':').append(numbers[i]);
                }
            }
            return Bytes.of(text.toString());
        }
    }

    /** Adds the first numbers of some executions to those of others, as many as these have. */
    static void add(long[] some, long[] sum) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += some[i];
        }
    }

    /** How many executions there were. */
    static long executions(long[] numbers) {
        long executions = numbers[FAILED];
        for (int bucket = 0; bucket < DurationBuckets.COUNT; bucket++) {
            executions += numbers[bucket];
        }
        return executions;
    }

    /** Receives the numbers of jobs and queues, once for each time, in order. */
    @FunctionalInterface
    public interface Reader {
        void read(Instant time, Map<String, long[]> jobs, Map<String, long[]> queues);
    }

    private final RedisConnection connection;
    private final MetricKeys keys;

    public JobTimings(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = new MetricKeys(keys);
    }

    /** Reads the numbers of all jobs and queues in the ten minutes that begin at each of these times. */
    public void read(List<Instant> times, Reader reader) {
        for (List<Instant> some : CallBounds.slices(times, HASHES_TOGETHER)) {
            List<Map<byte[], byte[]>> hashes = connection.run(commands -> Replies.all(some.stream()
                    .map(time -> Replies.unlessWrongType(commands.hgetall(key(time)), Map.<byte[], byte[]>of()))
                    .toList()));
            for (int i = 0; i < some.size(); i++) {
                Map<String, long[]> jobs = new HashMap<>();
                Map<String, long[]> queues = new HashMap<>();
                hashes.get(i).forEach((field, value) -> {
                    String text = Bytes.text(field);
                    if (text.startsWith(JOB)) {
                        jobs.put(text.substring(1), numbers(value));
                    } else if (text.startsWith(QUEUE)) {
                        queues.put(text.substring(1), numbers(value));
                    }
                });
                reader.read(some.get(i), jobs, queues);
            }
        }
    }

    /** The numbers of one job in the ten minutes that begin at each of these times. */
    List<long[]> ofJob(String name, List<Instant> times) {
        return of(JOB + name, times);
    }

    /** The numbers of one queue; otherwise like {@link #ofJob}. */
    public List<long[]> ofQueue(String name, List<Instant> times) {
        return of(QUEUE + name, times);
    }

    private List<long[]> of(String field, List<Instant> times) {
        List<long[]> all = new ArrayList<>();
        for (List<Instant> some : CallBounds.slices(times, VALUES_TOGETHER)) {
            List<byte[]> answers = connection.run(commands -> Replies.all(some.stream()
                    .map(time -> Replies.unlessWrongType(
                            commands.hget(key(time), Bytes.of(field)).thenApply(JobTimings::orNothing), NOTHING))
                    .toList()));
            answers.forEach(answer -> all.add(numbers(answer)));
        }
        return all;
    }

    private static byte[] orNothing(byte @Nullable [] value) {
        return value == null ? NOTHING : value;
    }

    private byte[] key(Instant time) {
        return keys.timings(LocalDateTime.ofInstant(time, ZoneOffset.UTC));
    }

    /** {@code INDEX:COUNT} of each number that is not 0. A page reads tens of thousands of such texts. */
    private static long[] numbers(byte[] stored) {
        long[] numbers = new long[NUMBERS];
        long index = NUMBERS;
        long number = 0;
        for (byte each : stored) {
            if (each >= '0' && each <= '9') {
                number = Math.min(MOST, 10 * number + each - '0');
            } else {
                if (each == ' ' && index < NUMBERS) {
                    numbers[(int) index] += number;
                }
                index = each == ':' ? number : NUMBERS;
                number = 0;
            }
        }
        if (index < NUMBERS) {
            numbers[(int) index] += number;
        }
        return numbers;
    }
}
