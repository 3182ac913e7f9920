package dev.jobs.metrics;

import dev.jobs.metrics.Timings.Of;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads how long executions ran and waited. Thread-safe. */
final class TimingsReader {

    private static final int MOST_OF_A_KIND = 10_000;

    private final JobTimings timings;

    TimingsReader(JobTimings timings) {
        this.timings = timings;
    }

    /**
     * Those of all jobs and queues in the ten minutes that begin at these times; the ones with most executions first.
     */
    List<Timings> all(List<Instant> times) {
        Map<String, Sum> jobs = new HashMap<>();
        Map<String, Sum> queues = new HashMap<>();
        timings.read(times, (time, ofJobs, ofQueues) -> {
            add(time, ofJobs, jobs);
            add(time, ofQueues, queues);
        });
        List<Timings> all = new ArrayList<>();
        jobs.forEach((name, sum) -> all.add(sum.timings(Of.JOB, name)));
        queues.forEach((name, sum) -> all.add(sum.timings(Of.QUEUE, name)));
        all.sort(Comparator.comparingLong(Timings::executions).reversed().thenComparing(Timings::name));
        return all;
    }

    private static void add(Instant time, Map<String, long[]> found, Map<String, Sum> sums) {
        found.forEach((name, numbers) -> {
            if (sums.containsKey(name) || sums.size() < MOST_OF_A_KIND) {
                sums.computeIfAbsent(name, each -> new Sum()).add(time, numbers);
            }
        });
    }

    /** Those of one job or queue in each ten minutes with an execution; their series are empty. */
    SortedMap<Instant, Timings> steps(Of of, String name, List<Instant> times) {
        List<long[]> found = of == Of.JOB ? timings.ofJob(name, times) : timings.ofQueue(name, times);
        SortedMap<Instant, Timings> steps = new TreeMap<>();
        for (int i = 0; i < found.size(); i++) {
            Timings step = timings(of, name, found.get(i), List.of());
            if (step.executions() > 0) {
                steps.put(times.get(i), step);
            }
        }
        return steps;
    }

    private static Timings timings(Of of, String name, long[] numbers, List<Timings.Count> series) {
        return new Timings(
                of,
                name,
                JobTimings.executions(numbers),
                numbers[JobTimings.FAILED],
                Histogram.of(name, numbers, 0),
                Histogram.of(name, numbers, JobTimings.WAITED),
                series);
    }

    /** The numbers of one job or queue. */
    private static final class Sum {
        private final long[] numbers = new long[JobTimings.NUMBERS];
        private final List<Timings.Count> series = new ArrayList<>();

        void add(Instant time, long[] some) {
            JobTimings.add(some, numbers);
            series.add(new Timings.Count(time, JobTimings.executions(some), some[JobTimings.FAILED]));
        }

        Timings timings(Of of, String name) {
            return TimingsReader.timings(of, name, numbers, series);
        }
    }
}
