package dev.jobs.metrics;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.JobPart;
import dev.jobs.metrics.JobMetrics.Counted;
import dev.jobs.metrics.JobTimings.Timed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.regex.Pattern;

/**
 * Counts the results of executions by job and queue, until the counts are taken. An execution increments two numbers,
 * or three if it took a millisecond or longer. Thread-safe.
 */
@Internal
public final class ExecutionCounts implements JobPart.Counts {

    /** Names that come from payloads, not from the jobs of this application. */
    private static final int MOST_FOREIGN_NAMES = 1_000;

    /** Allowed names of jobs. Others could not be told apart in the metrics, or are not fit to be shown. */
    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}|]{1,200}");

    /** The counts since they were last taken. */
    record Taken(List<Counted> jobs, List<Timed> times) {}

    private final Map<String, Map<String, Counts>> byName = new ConcurrentHashMap<>();

    @Override
    public void executed(ClaimedJob job, boolean failed, long nanos, long waitedMillis) {
        ended(job.payload(), job.name(), job.queue(), failed, nanos, waitedMillis);
    }

    /**
     * An execution of a job ended.
     *
     * @param name the job's name as shown to people
     * @param queue the queue that the job came from
     * @param nanos how long it took
     * @param waitedMillis how long the job had been in its queue, or {@link #UNKNOWN}
     */
    void ended(Payload payload, String name, String queue, boolean failed, long nanos, long waitedMillis) {
        String wrapped = payload.text("wrapped"); // as in Sidekiq, with or without an envelope
        Map<String, Counts> queues = queues(payload, wrapped == null ? name : wrapped);
        Counts known = queues.get(queue);
        Counts counts = known == null ? queues.computeIfAbsent(queue, each -> new Counts()) : known;
        counts.add(failed, Math.max(0, nanos) / 1_000_000, waitedMillis);
    }

    private Map<String, Counts> queues(Payload payload, String name) {
        Map<String, Counts> known = byName.get(name);
        if (known != null) {
            return known;
        }
        String own = String.valueOf(payload.name()); // from this application, so there is a limited number of them
        boolean usable = name.equals(own) || NAME.matcher(name).matches() && byName.size() < MOST_FOREIGN_NAMES;
        return byName.computeIfAbsent(usable ? name : own, each -> new ConcurrentHashMap<>());
    }

    /** Takes the counts since the last call. Executions that end during the call are counted now or the next time. */
    Taken take() {
        List<Counted> jobs = new ArrayList<>();
        List<Timed> times = new ArrayList<>();
        Map<String, long[]> byQueue = new ConcurrentHashMap<>();
        byName.forEach((name, queues) -> {
            long[] all = new long[Counts.SIZE];
            queues.forEach((queue, counts) -> {
                long[] some = counts.take();
                JobTimings.add(some, all);
                if (JobTimings.executions(some) > 0) {
                    JobTimings.add(some, byQueue.computeIfAbsent(queue, each -> new long[Counts.SIZE]));
                }
            });
            if (JobTimings.executions(all) > 0) {
                jobs.add(Counts.counted(name, all));
                times.add(Timed.job(name, all));
            }
        });
        byQueue.forEach((queue, all) -> times.add(Timed.queue(queue, all)));
        return new Taken(jobs, times);
    }

    /**
     * Executions of one job from one queue: histograms of the durations of successful ones and of all waits, the number
     * of failures, and the sum of the durations. Thread-safe.
     */
    private static final class Counts {
        private static final int MILLIS = JobTimings.NUMBERS;
        private static final int SIZE = MILLIS + 1;

        private final AtomicLongArray numbers = new AtomicLongArray(SIZE);

        void add(boolean failed, long millis, long waitedMillis) {
            if (waitedMillis >= 0) {
                numbers.getAndIncrement(JobTimings.WAITED + DurationBuckets.of(waitedMillis));
            }
            if (failed) {
                numbers.getAndIncrement(JobTimings.FAILED);
                return;
            }
            if (millis > 0) {
                numbers.getAndAdd(MILLIS, millis); // first, because a time is only taken together with executions
            }
            numbers.getAndIncrement(DurationBuckets.of(millis));
        }

        /** Takes the counts since the last call. What belongs to an execution that is not counted yet stays. */
        long[] take() {
            long[] taken = new long[SIZE];
            taken[JobTimings.FAILED] = numbers.getAndSet(JobTimings.FAILED, 0);
            for (int i = 0; i < DurationBuckets.COUNT; i++) {
                taken[i] = numbers.getAndSet(i, 0);
            }
            if (JobTimings.executions(taken) > 0) {
                taken[MILLIS] = numbers.getAndSet(MILLIS, 0);
                for (int i = JobTimings.WAITED; i < JobTimings.FAILED; i++) {
                    taken[i] = numbers.getAndSet(i, 0);
                }
            }
            return taken;
        }

        static Counted counted(String name, long[] numbers) {
            long[] histogram = Arrays.copyOf(numbers, DurationBuckets.COUNT);
            return new Counted(name, numbers[JobTimings.FAILED], numbers[MILLIS], histogram);
        }
    }
}
