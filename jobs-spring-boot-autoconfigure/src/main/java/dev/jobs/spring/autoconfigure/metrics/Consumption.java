package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.engine.CapsuleConfig;
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
 * Detects a worker that takes no jobs although it should: a capsule with a free thread and a non-empty queue starts
 * none. A capsule without a free thread is not stalled while the worker is alive, and paused queues never count.
 * Thread-safe.
 */
final class Consumption implements JobListener {

    private final List<Capsule> capsules;
    private final Map<String, Capsule> byQueue = new HashMap<>();
    private final LongSupplier nanoTime;

    /** The activity of a capsule. */
    private static final class Capsule {
        final CapsuleConfig config;
        /** The jobs themselves rather than their number, since some entries finish without having started as a job. */
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
     * Compares the queues with the jobs started since the last call.
     *
     * @param working whether the worker should take jobs at all
     * @param alive whether it could; if not, the jobs that it seems to run may never end
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

    /** How long the most stalled capsule has taken no job. */
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
