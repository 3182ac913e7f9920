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
 * Counts the results of executions by job, until the counts are taken. An execution increments one number of its job,
 * or two if it took a millisecond or longer. Thread-safe.
 */
final class ExecutionCounts {

    /** Names that come from payloads, not from the jobs of this application. */
    private static final int MOST_FOREIGN_NAMES = 1_000;

    /** Allowed names of jobs. Others could not be told apart in the metrics, or are not fit to be shown. */
    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}|]{1,200}");

    private final Map<String, JobCounts> byName = new ConcurrentHashMap<>();

    /**
     * An execution of a job ended.
     *
     * @param name the job's name as shown to people
     * @param nanos how long it took
     */
    void ended(Payload payload, String name, boolean failed, long nanos) {
        String wrapped = payload.text("wrapped"); // as in Sidekiq, with or without an envelope
        counts(payload, wrapped == null ? name : wrapped).add(failed, Math.max(0, nanos) / 1_000_000);
    }

    private JobCounts counts(Payload payload, String name) {
        JobCounts known = byName.get(name);
        if (known != null) {
            return known;
        }
        String own = String.valueOf(payload.name()); // from this application, so there is a limited number of them
        boolean usable = name.equals(own) || NAME.matcher(name).matches() && byName.size() < MOST_FOREIGN_NAMES;
        return byName.computeIfAbsent(usable ? name : own, each -> new JobCounts());
    }

    /** Takes the counts since the last call. Executions that end during the call are counted now or the next time. */
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

    /**
     * Executions of one job: a histogram and the sum of the durations of successful ones, and the number of failures.
     * Thread-safe.
     */
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
                numbers.getAndAdd(MILLIS, millis); // first, because a time is only taken together with executions
            }
            numbers.getAndIncrement(DurationBuckets.of(millis));
        }

        /** Takes the counts since the last call; null if there are none. */
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
