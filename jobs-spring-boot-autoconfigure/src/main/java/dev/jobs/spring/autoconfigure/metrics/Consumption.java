package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.admin.QueueInfo;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineConfig;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices a worker that takes nothing although it should: a capsule with a free place and with jobs in a queue, none of which starts. Capsules
 * without a free place are no stall while the worker is alive, and paused queues never are. Thread-safe.
 */
final class Consumption implements JobListener {

    private final List<Capsule> capsules;
    private final Map<String, Capsule> byQueue = new HashMap<>();
    private final LongSupplier nanoTime;

    /** What a capsule does. */
    private static final class Capsule {
        final CapsuleConfig config;
        /** The jobs themselves rather than their number: not everything that ends was a job that started. */
        final Set<JobContext> running = ConcurrentHashMap.newKeySet();

        final LongAdder started = new LongAdder();

        // Guarded by the Consumption.
        long startedBefore;

        @Nullable Long stalledSince;

        Capsule(CapsuleConfig config) {
            this.config = config;
        }
    }

    Consumption(EngineConfig config, LongSupplier nanoTime) {
        this.capsules = config.capsules().stream().map(Capsule::new).toList();
        this.nanoTime = nanoTime;
        for (Capsule capsule : capsules) {
            capsule.config.queues().forEach(queue -> byQueue.putIfAbsent(queue, capsule));
        }
    }

    @Override
    public void started(JobContext job) {
        Capsule capsule = byQueue.get(job.queue());
        if (capsule != null) {
            capsule.running.add(job);
            capsule.started.increment();
        }
    }

    @Override
    public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
        Capsule capsule = byQueue.get(job.queue());
        if (capsule != null) {
            capsule.running.remove(job);
        }
    }

    /**
     * Compares the queues with what was started since the last look.
     *
     * @param working whether the worker is to take jobs at all
     * @param alive whether it could: else nobody knows whether what it seems to run will ever end
     */
    synchronized void look(Collection<QueueInfo> queues, boolean working, boolean alive) {
        long now = nanoTime.getAsLong();
        for (Capsule capsule : capsules) {
            long started = capsule.started.sum();
            boolean stalled = working
                    && started == capsule.startedBefore
                    && (!alive || capsule.running.size() < capsule.config.concurrency())
                    && queues.stream().anyMatch(queue -> waits(queue, capsule));
            capsule.startedBefore = started;
            if (!stalled) {
                capsule.stalledSince = null;
            } else if (capsule.stalledSince == null) {
                capsule.stalledSince = now;
            }
        }
    }

    private static boolean waits(QueueInfo queue, Capsule capsule) {
        return queue.size() > 0
                && !queue.paused()
                && !queue.broken()
                && capsule.config.weights().containsKey(queue.name());
    }

    /** For how long the capsule that is worst off has been taking nothing. */
    synchronized Duration stall() {
        long now = nanoTime.getAsLong();
        long longest = 0;
        for (Capsule capsule : capsules) {
            Long since = capsule.stalledSince;
            if (since != null && capsule.started.sum() == capsule.startedBefore) {
                longest = Math.max(longest, now - since);
            }
        }
        return Duration.ofNanos(longest);
    }
}
