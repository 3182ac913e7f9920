package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.KeyValue;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sidekiq's counters of processed and failed jobs. Thread-safe. */
@Internal
public final class JobCounters {

    private static final int DAYS_TOGETHER = 500;

    /** Executions, and how many of them failed. */
    public record Count(long processed, long failed) {}

    private final RedisConnection connection;
    private final RedisKeys keys;

    public JobCounters(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /** Since the last reset. */
    public Count totals() {
        return counts(List.of(keys.processed(), keys.failed())).get(0);
    }

    /** One count for each of a number of days in UTC, from the given one; 0 for days without a count. */
    public List<Count> days(LocalDate first, int days) {
        List<Count> counts = new ArrayList<>();
        for (int from = 0; from < days; from += DAYS_TOGETHER) {
            List<byte[]> wanted = new ArrayList<>();
            for (int i = from; i < Math.min(from + DAYS_TOGETHER, days); i++) {
                wanted.add(keys.processed(first.plusDays(i)));
                wanted.add(keys.failed(first.plusDays(i)));
            }
            counts.addAll(counts(wanted));
        }
        return counts;
    }

    private List<Count> counts(List<byte[]> wanted) {
        List<KeyValue<byte[], byte[]>> values =
                connection.run(commands -> commands.mget(wanted.toArray(byte[][]::new)));
        List<Count> counts = new ArrayList<>();
        for (int i = 0; i < values.size(); i += 2) {
            counts.add(new Count(number(values.get(i)), number(values.get(i + 1))));
        }
        return counts;
    }

    private static long number(KeyValue<byte[], byte[]> value) {
        try {
            return value.hasValue() ? Long.parseLong(Bytes.text(value.getValue())) : 0;
        } catch (NumberFormatException e) {
            return 0; // not a counter of ours
        }
    }

    /** Sets the totals to 0; the daily counts stay. */
    public void reset() {
        connection.run(commands -> commands.mset(Map.of(keys.processed(), Bytes.of(0), keys.failed(), Bytes.of(0))));
    }
}
