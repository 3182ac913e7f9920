package dev.jobs.metrics;

import dev.jobs.Internal;
import dev.jobs.metrics.JobTimings.Timed;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sidekiq's metrics: results of executions by job and time. Thread-safe. */
@Internal
public final class JobMetrics {

    private static final LuaScript METRICS = LuaScript.of(JobMetrics.class, "metrics");

    /** Maximum number of jobs per call. */
    public static final int TOGETHER = 100;

    private static final Duration MINUTES_KEPT = Duration.ofHours(8);
    private static final Duration TEN_MINUTES_KEPT = Duration.ofHours(72);

    /** As long as the numbers that it protects from being counted twice are visible. */
    private static final Duration CALLS_REMEMBERED = MINUTES_KEPT;

    private static final String PROCESSED = "|p";
    private static final String FAILED = "|f";
    private static final String MILLIS = "|ms";

    /** Number of whole hashes read in one call; with few jobs they are small. */
    private static final int HASHES_TOGETHER = 30;

    private static final int VALUES_TOGETHER = 120;

    /** The resolution in time. */
    public enum Step {
        MINUTE(Duration.ofMinutes(1), MINUTES_KEPT),
        TEN_MINUTES(Duration.ofMinutes(10), TEN_MINUTES_KEPT);

        private final Duration length;
        private final Duration kept;

        Step(Duration length, Duration kept) {
            this.length = length;
            this.kept = kept;
        }

        public Duration length() {
            return length;
        }

        /** How long numbers of this step are kept. */
        public Duration kept() {
            return kept;
        }

        private byte[] key(MetricKeys keys, Instant time) {
            return this == MINUTE ? keys.minute(utc(time)) : keys.tenMinutes(utc(time));
        }
    }

    /**
     * Executions of one job that are not stored yet.
     *
     * @param failed number of failed executions
     * @param millis total time of the others
     * @param histogram number of the others in each of {@link DurationBuckets}
     */
    public record Counted(String name, long failed, long millis, long[] histogram) {}

    /**
     * @param processed number of executions
     * @param failed number of those that failed
     * @param millis total time of the others
     */
    public record Totals(long processed, long failed, long millis) {

        static final Totals NOTHING = new Totals(0, 0, 0);
    }

    /** Receives the totals by job, once for each time, in order. */
    @FunctionalInterface
    public interface Reader {
        void read(Instant time, Map<String, Totals> jobs);
    }

    private final RedisConnection connection;
    private final MetricKeys keys;

    public JobMetrics(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = new MetricKeys(keys);
    }

    /**
     * Adds the counts of a process, once per number.
     *
     * @param process a name that no other process ever has
     * @param number at least 1, higher with each call of the process; the same number repeats a call whose answer was
     *     lost
     * @param time the time to add the counts to
     * @param jobs at most {@value #TOGETHER}, each with at least one execution
     * @param times how long executions ran and waited; at most {@value #TOGETHER}
     * @return number of writes that Redis refused
     */
    public int add(String process, long number, Instant time, List<Counted> jobs, List<Timed> times) {
        LocalDateTime utc = utc(time);
        List<byte[]> all = new ArrayList<>(
                List.of(keys.calls(process), keys.minute(utc), keys.tenMinutes(utc), keys.timings(utc)));
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Bytes.of(number));
        arguments.add(Bytes.of(CALLS_REMEMBERED.toMillis()));
        arguments.add(Bytes.of(MINUTES_KEPT.toSeconds()));
        arguments.add(Bytes.of(TEN_MINUTES_KEPT.toSeconds()));
        arguments.add(Bytes.of(times.size()));
        for (Timed each : times) {
            arguments.add(Bytes.of(each.field()));
            arguments.add(each.text());
        }
        for (Counted job : jobs) {
            all.add(keys.histogram(job.name(), utc));
            addTo(arguments, job);
        }
        Long refused = connection.callForOne(
                METRICS, ScriptOutputType.INTEGER, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
        return refused.intValue();
    }

    private static void addTo(List<byte[]> arguments, Counted job) {
        List<byte[]> buckets = new ArrayList<>();
        long executions = job.failed();
        for (int bucket = 0; bucket < job.histogram().length; bucket++) {
            long count = job.histogram()[bucket];
            if (count > 0) {
                executions += count;
                buckets.add(Bytes.of(bucket));
                buckets.add(Bytes.of(count));
            }
        }
        arguments.add(Bytes.of(job.name()));
        arguments.add(Bytes.of(executions));
        arguments.add(Bytes.of(job.failed()));
        arguments.add(Bytes.of(job.millis()));
        arguments.add(Bytes.of(buckets.size() / 2));
        arguments.addAll(buckets);
    }

    /** Reads the totals of all jobs at these times. */
    public void read(Step step, List<Instant> times, Reader reader) {
        for (List<Instant> some : CallBounds.slices(times, HASHES_TOGETHER)) {
            List<Map<byte[], byte[]>> hashes = connection.run(commands -> Replies.all(some.stream()
                    .map(time ->
                            Replies.unlessWrongType(commands.hgetall(step.key(keys, time)), Map.<byte[], byte[]>of()))
                    .toList()));
            for (int i = 0; i < some.size(); i++) {
                reader.read(some.get(i), jobs(hashes.get(i)));
            }
        }
    }

    private static Map<String, Totals> jobs(Map<byte[], byte[]> fields) {
        Map<String, Totals> jobs = new HashMap<>();
        fields.forEach((field, value) -> {
            String text = Bytes.text(field);
            int cut = text.lastIndexOf('|');
            if (cut >= 0) {
                Totals old = jobs.getOrDefault(text.substring(0, cut), Totals.NOTHING);
                jobs.put(text.substring(0, cut), with(old, text.substring(cut), number(value)));
            }
        });
        return jobs;
    }

    private static Totals with(Totals old, String what, long value) {
        return switch (what) {
            case PROCESSED -> new Totals(value, old.failed(), old.millis());
            case FAILED -> new Totals(old.processed(), value, old.millis());
            case MILLIS -> new Totals(old.processed(), old.failed(), value);
            default -> old;
        };
    }

    /** The totals of one job at each of these times. */
    public List<Totals> read(String job, Step step, List<Instant> times) {
        byte[][] fields = {Bytes.of(job + PROCESSED), Bytes.of(job + FAILED), Bytes.of(job + MILLIS)};
        List<Totals> all = new ArrayList<>();
        for (List<Instant> some : CallBounds.slices(times, VALUES_TOGETHER)) {
            List<@Nullable List<KeyValue<byte[], byte[]>>> answers =
                    connection.run(commands -> Replies.all(some.stream()
                            .map(time -> Replies.<@Nullable List<KeyValue<byte[], byte[]>>>unlessWrongType(
                                    commands.hmget(step.key(keys, time), fields), null))
                            .toList()));
            for (List<KeyValue<byte[], byte[]>> values : answers) {
                all.add(
                        values == null
                                ? Totals.NOTHING
                                : new Totals(number(values, 0), number(values, 1), number(values, 2)));
            }
        }
        return all;
    }

    private static long number(List<KeyValue<byte[], byte[]>> values, int index) {
        return values.get(index).hasValue() ? number(values.get(index).getValue()) : 0;
    }

    private static long number(byte[] value) {
        try {
            return Math.max(0, Long.parseLong(Bytes.text(value)));
        } catch (NumberFormatException e) {
            return 0; // not a counter of ours
        }
    }

    /**
     * The execution times of a job in all of these minutes: number of executions in each of {@link DurationBuckets}.
     */
    public long[] histogram(String job, List<Instant> minutes) {
        long[] histogram = new long[DurationBuckets.COUNT];
        for (List<Instant> some : CallBounds.slices(minutes, VALUES_TOGETHER)) {
            List<Optional<byte[]>> answers = connection.run(commands -> {
                List<CompletionStage<Optional<byte[]>>> asked = new ArrayList<>();
                for (Instant minute : some) {
                    CompletionStage<byte @Nullable []> stored = commands.get(keys.histogram(job, utc(minute)));
                    asked.add(Replies.unlessWrongType(stored.thenApply(Optional::ofNullable), Optional.empty()));
                }
                return Replies.all(asked);
            });
            answers.forEach(answer -> answer.ifPresent(stored -> DurationBuckets.addTo(histogram, stored)));
        }
        return histogram;
    }

    private static LocalDateTime utc(Instant time) {
        return LocalDateTime.ofInstant(time, ZoneOffset.UTC);
    }
}
