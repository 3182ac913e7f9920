package dev.jobs.engine;

import dev.jobs.Payload;
import dev.jobs.redis.DurationBuckets;
import dev.jobs.redis.JobMetrics.Counted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Counts what came of executions, by job, until it is taken away. Who ran a job looks up its numbers and adds to one of them, or to two if
 * the job took a millisecond or longer. Thread-safe.
 */
final class ExecutionCounts {

    /** Names that come from payloads, not from the jobs of this application. */
    private static final int MOST_FOREIGN_NAMES = 1_000;

    /** What a job may be named; anything else could not be told apart again, or would be no name to show. */
    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}|]{1,200}");

    private final Map<String, JobCounts> byName = new ConcurrentHashMap<>();

    /**
     * A job of this application was run.
     *
     * @param name what people call it
     * @param nanos how long it took
     */
    void ended(Payload payload, String name, boolean failed, long nanos) {
        String wrapped = payload.text("wrapped"); // as Sidekiq counts, with or without an envelope
        counts(payload, wrapped == null ? name : wrapped).add(failed, Math.max(0, nanos) / 1_000_000);
    }

    private JobCounts counts(Payload payload, String name) {
        JobCounts known = byName.get(name);
        if (known != null) {
            return known;
        }
        String own = String.valueOf(payload.name()); // a name of this application, of which there are only so many
        boolean usable = name.equals(own) || NAME.matcher(name).matches() && byName.size() < MOST_FOREIGN_NAMES;
        return byName.computeIfAbsent(usable ? name : own, each -> new JobCounts());
    }

    /** Takes away what was counted since the last time. Threads that count meanwhile are counted now or the next time. */
    List<Counted> take() {
        List<Counted> taken = new ArrayList<>();
        byName.forEach((name, counts) -> {
            Counted counted = counts.take(name);
            if (counted != null) {
                taken.add(counted);
            }
        });
        return taken;
    }

    /** Executions of one job: how many took how long, how long together, and how many failed, whose time is not counted. Thread-safe. */
    private static final class JobCounts {
        private static final int MILLIS = DurationBuckets.COUNT;
        private static final int FAILED = DurationBuckets.COUNT + 1;

        private final AtomicLongArray numbers = new AtomicLongArray(DurationBuckets.COUNT + 2);

        void add(boolean failed, long millis) {
            if (failed) {
                numbers.getAndIncrement(FAILED);
                return;
            }
            if (millis > 0) {
                numbers.getAndAdd(MILLIS, millis); // first, since a time is only taken together with executions
            }
            numbers.getAndIncrement(DurationBuckets.of(millis));
        }

        /** Takes away what was added since the last time; null if that is nothing. */
        @Nullable Counted take(String name) {
            long[] histogram = new long[DurationBuckets.COUNT];
            long failed = numbers.getAndSet(FAILED, 0);
            long executions = failed;
            for (int bucket = 0; bucket < histogram.length; bucket++) {
                histogram[bucket] = numbers.getAndSet(bucket, 0);
                executions += histogram[bucket];
            }
            if (executions == 0) {
                return null;
            }
            return new Counted(name, failed, numbers.getAndSet(MILLIS, 0), histogram);
        }
    }
}
