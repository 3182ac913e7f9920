package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.limits.Leftovers;
import dev.jobs.results.JobReport;
import dev.jobs.store.Effect;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What few jobs have: values shared within an execution, a report, slots of limiters, starts. Thread-safe. */
@Internal
public final class JobExtras {

    private final Map<String, Object> attributes = new ConcurrentHashMap<>();
    private final Leftovers left = new Leftovers();
    private final List<Effect> starts = new CopyOnWriteArrayList<>();
    private volatile @Nullable JobReport report;
    private volatile boolean inTime;

    Map<String, Object> attributes() {
        return attributes;
    }

    Leftovers leftovers() {
        return left;
    }

    /** What gives back the starts by rates that the job took, as long as it has not begun. */
    public List<Effect> starts() {
        return starts;
    }

    /** A job that expires runs, since it was begun before. */
    void beganInTime() {
        inTime = true;
    }

    boolean hasBegunInTime() {
        return inTime;
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
