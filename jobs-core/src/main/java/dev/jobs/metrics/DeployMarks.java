package dev.jobs.metrics;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.ScriptOutputType;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The minutes in which deployments were marked, for charts of metrics. Thread-safe. */
@Internal
public final class DeployMarks {

    private static final LuaScript DEPLOY_MARK = LuaScript.of(DeployMarks.class, "deploy_mark");

    private static final Pattern LABEL = Pattern.compile("[^\\p{Cntrl}]{1,200}");
    private static final Duration LOCKED = Duration.ofSeconds(60);
    private static final Duration KEPT = Duration.ofDays(90);
    private static final int DAYS_TOGETHER = 30;

    private final RedisConnection connection;
    private final MetricKeys keys;

    public DeployMarks(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = new MetricKeys(keys);
    }

    /** Whether the text can be a label: 1 to 200 characters, not blank, no control characters. */
    public static boolean isLabel(String label) {
        return LABEL.matcher(label).matches() && !label.isBlank();
    }

    /**
     * Marks a deployment. Returns whether this call marked it: false if the same label was marked within the last
     * minute, or if the minute has a label. May be repeated.
     */
    public boolean mark(String label, Instant time) {
        Instant minute = time.truncatedTo(ChronoUnit.MINUTES);
        Long marked = connection.callForOne(
                DEPLOY_MARK,
                ScriptOutputType.INTEGER,
                new byte[][] {keys.deployLock(label), keys.deployMarks(day(minute))},
                new byte[][] {
                    Bytes.of(minute.toString()),
                    Bytes.of(label),
                    Bytes.of(LOCKED.toSeconds()),
                    Bytes.of(KEPT.toSeconds())
                });
        return marked == 1;
    }

    /**
     * The label of each marked minute of a number of days in UTC, from the given one. Entries without a valid time are
     * left out.
     */
    public SortedMap<Instant, String> read(LocalDate first, int days) {
        SortedMap<Instant, String> marks = new TreeMap<>();
        List<LocalDate> all = first.datesUntil(first.plusDays(days)).toList();
        for (List<LocalDate> some : CallBounds.slices(all, DAYS_TOGETHER)) {
            List<Map<byte[], byte[]>> answers = connection.run(commands -> Replies.all(some.stream()
                    .map(day ->
                            Replies.unlessWrongType(commands.hgetall(keys.deployMarks(day)), Map.<byte[], byte[]>of()))
                    .toList()));
            answers.forEach(answer -> answer.forEach((minute, label) -> {
                try {
                    marks.put(Instant.parse(Bytes.text(minute)), Bytes.text(label));
                } catch (DateTimeException e) {
                    // not a mark of ours
                }
            }));
        }
        return marks;
    }

    private static LocalDate day(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC);
    }
}
