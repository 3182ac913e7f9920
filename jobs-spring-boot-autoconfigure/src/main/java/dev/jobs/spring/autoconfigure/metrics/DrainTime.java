package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.engine.CapsuleConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time that one process like this one would need for the jobs that wait in its queues: backlog ÷ rate, in seconds.
 * Divided by the time within which the jobs should have started, it is the number of processes that they need.
 *
 * <p>The rate is what the threads can do, not what they did, so it is right for an idle process too. By the utilization
 * law, U = X · S (P. J. Denning and J. P. Buzen, The Operational Analysis of Queueing Network Models, ACM Computing
 * Surveys 10/3, 1978), a capsule whose threads are all busy ends {@code concurrency ÷ S} jobs per second, where S is
 * the mean time of an execution. So a capsule needs {@code sum of size · S over its queues ÷ concurrency}. Capsules
 * work at the same time: the slowest one counts. The ten or so microseconds that a job costs between two executions are
 * left out.
 *
 * <p>S is the mean of the executions of the queue that ended here within {@link #WINDOW}, or of the last window in
 * which any did. A queue without any counts with the mean of its capsule. If nothing of a capsule has ended since the
 * start, its time is unknown. Paused and broken queues don't count. Thread-safe.
 */
final class DrainTime implements JobListener {

    /** How long an execution counts. */
    static final Duration WINDOW = Duration.ofMinutes(5);

    private final List<Capsule> capsules;
    private final Map<String, Executions> byQueue = new HashMap<>();
    private final LongSupplier nanoTime;

    private volatile @Nullable Result last;

    private record Result(double seconds, long nanos) {}

    private record Capsule(int concurrency, Map<String, Executions> queues) {}

    /** The executions of a queue; everything but the adders is guarded by the DrainTime. */
    private static final class Executions {
        final LongAdder ended = new LongAdder();
        final LongAdder took = new LongAdder();
        final Deque<Sum> window = new ArrayDeque<>();

        /** Of the last window with executions; 0 of 0 if there was none. */
        long knownEnded;

        long knownTook;

        void look(long now) {
            Sum sum = new Sum(now, ended.sum(), took.sum());
            if (window.isEmpty()) {
                window.add(new Sum(now, 0, 0));
            }
            window.add(sum);
            while (window.size() > 2 && now - window.getFirst().nanos() > WINDOW.toNanos()) {
                window.removeFirst();
            }
            Sum before = window.getFirst();
            if (sum.ended() > before.ended()) {
                knownEnded = sum.ended() - before.ended();
                knownTook = sum.took() - before.took();
            }
        }
    }

    /** What had ended since the start at a moment, in nanoseconds. */
    private record Sum(long nanos, long ended, long took) {}

    DrainTime(EngineConfig config, LongSupplier nanoTime) {
        this.capsules = config.capsules().stream().map(this::capsule).toList();
        this.nanoTime = nanoTime;
    }

    private Capsule capsule(CapsuleConfig config) {
        Map<String, Executions> queues = new HashMap<>();
        for (String queue : config.queues()) {
            queues.put(queue, byQueue.computeIfAbsent(queue, each -> new Executions()));
        }
        return new Capsule(config.concurrency(), queues);
    }

    @Override
    public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
        Executions executions = byQueue.get(job.queue());
        if (executions != null) {
            executions.took.add(took.toNanos());
            executions.ended.increment();
        }
    }

    /** Takes the sizes of the queues, and the executions since the last call. */
    synchronized void look(Collection<QueueInfo> queues) {
        long now = nanoTime.getAsLong();
        byQueue.values().forEach(executions -> executions.look(now));
        Map<String, Long> sizes = new HashMap<>();
        for (QueueInfo queue : queues) {
            if (queue.size() > 0 && !queue.paused() && !queue.broken()) {
                sizes.merge(queue.name(), queue.size(), Long::sum); // a queue may be in several installations
            }
        }
        double longest = 0;
        boolean unknown = false;
        for (Capsule capsule : capsules) {
            double seconds = seconds(capsule, sizes);
            unknown |= Double.isNaN(seconds);
            longest = seconds > longest ? seconds : longest;
        }
        last = new Result(longest == 0 && unknown ? Double.NaN : longest, now);
    }

    /** Returns NaN if jobs wait and no execution is known. */
    private static double seconds(Capsule capsule, Map<String, Long> sizes) {
        long ended = 0;
        long took = 0;
        for (Executions executions : capsule.queues().values()) {
            ended += executions.knownEnded;
            took += executions.knownTook;
        }
        double mean = took / (double) ended;
        double nanos = 0;
        for (Map.Entry<String, Executions> queue : capsule.queues().entrySet()) {
            Executions executions = queue.getValue();
            Long size = sizes.get(queue.getKey());
            if (size != null) {
                nanos += size
                        * (executions.knownEnded == 0 ? mean : executions.knownTook / (double) executions.knownEnded);
            }
        }
        return nanos / 1e9 / capsule.concurrency();
    }

    /**
     * The time in seconds at the last {@link #look}: 0 if no job waits; NaN if it is unknown, or older than
     * {@link JobGauges#VALID}.
     */
    double seconds() {
        Result result = last;
        return result == null || nanoTime.getAsLong() - result.nanos() > JobGauges.VALID.toNanos()
                ? Double.NaN
                : result.seconds();
    }
}
