package dev.jobs.engine;

import dev.jobs.redis.Leftovers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What few jobs have: values shared within an execution, a report, and slots of limiters. Thread-safe. */
final class JobExtras {

    private final Map<String, Object> attributes = new ConcurrentHashMap<>();
    private final Leftovers left = new Leftovers();
    private volatile @Nullable JobReport report;

    Map<String, Object> attributes() {
        return attributes;
    }

    Leftovers leftovers() {
        return left;
    }

    /** Null if the job has told nothing. */
    @Nullable JobReport report() {
        return report;
    }

    synchronized JobReport reporting(Supplier<JobReport> first) {
        JobReport known = report;
        if (known == null) {
            known = first.get();
            report = known;
        }
        return known;
    }
}
