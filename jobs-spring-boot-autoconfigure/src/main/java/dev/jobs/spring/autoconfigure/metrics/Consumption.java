package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.CapsuleWork;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects a worker that takes no jobs although it should: a capsule with a free thread and a non-empty queue takes
 * none. A capsule without a free thread is not stalled while the worker is alive. Paused and broken queues never count,
 * those that are shut, such as at their limits, not while it is alive. Engines are asked for all that, so that no job
 * costs more. Thread-safe.
 */
final class Consumption {

    private final Map<String, ? extends Worker> workers;
    private final LongSupplier nanoTime;
    private final Map<Key, Seen> seen = new HashMap<>(); // guarded by this

    /** What an engine says of itself. */
    interface Worker {

        /** Whether it should take jobs at all. */
        boolean isToWork();

        /** Whether it could; if not, the jobs that it seems to run may never end. */
        boolean isAlive();

        /** Whether no job of a queue may start just now. */
        boolean isShut(String queue);

        List<CapsuleWork> work();

        static Worker of(JobEngine engine) {
            return new Worker() {
                @Override
                public boolean isToWork() {
                    return engine.health().state() == EngineHealth.State.RUNNING;
                }

                @Override
                public boolean isAlive() {
                    return engine.health().alive();
                }

                @Override
                public boolean isShut(String queue) {
                    return engine.isShut(queue);
                }

                @Override
                public List<CapsuleWork> work() {
                    return engine.work();
                }
            };
        }
    }

    private record Key(String installation, String capsule) {}

    /** A capsule at the last look. */
    private record Seen(long taken, @Nullable Long stalledSince) {}

    /** @param workers by installation; they share the threads of capsules of the same name */
    Consumption(Map<String, ? extends Worker> workers, LongSupplier nanoTime) {
        this.workers = workers;
        this.nanoTime = nanoTime;
    }

    /**
     * Compares queues with the jobs taken since the last call.
     *
     * @param queues by installation; those of the others can't be read, and don't count
     */
    synchronized void look(Map<String, ? extends Collection<QueueInfo>> queues) {
        long now = nanoTime.getAsLong();
        workers.forEach((installation, worker) -> {
            Collection<QueueInfo> its = queues.get(installation);
            Collection<QueueInfo> known = its == null ? List.of() : its;
            worker.work().forEach(each -> look(installation, worker, each, known, now));
        });
    }

    private void look(String installation, Worker worker, CapsuleWork work, Collection<QueueInfo> queues, long now) {
        Key key = new Key(installation, work.capsule().name());
        Seen before = seen.get(key);
        boolean alive = worker.isAlive();
        boolean stalled = worker.isToWork()
                && work.taken() == (before == null ? 0 : before.taken())
                && (!alive || hasFreeThread(work.capsule()))
                && queues.stream()
                        .anyMatch(queue -> waits(queue, work.capsule()) && !(alive && worker.isShut(queue.name())));
        Long since = before == null || before.stalledSince() == null ? Long.valueOf(now) : before.stalledSince();
        seen.put(key, new Seen(work.taken(), stalled ? since : null));
    }

    private boolean hasFreeThread(CapsuleConfig capsule) {
        long running = workers.values().stream()
                .flatMap(worker -> worker.work().stream())
                .filter(each -> each.capsule().name().equals(capsule.name()))
                .mapToLong(CapsuleWork::running)
                .sum();
        return running < capsule.concurrency();
    }

    private static boolean waits(QueueInfo queue, CapsuleConfig capsule) {
        return queue.size() > 0
                && !queue.paused()
                && !queue.broken()
                && capsule.weights().containsKey(queue.name());
    }

    /** How long the most stalled capsule has taken no job. */
    synchronized Duration stall() {
        long now = nanoTime.getAsLong();
        long longest = 0;
        for (Map.Entry<String, ? extends Worker> worker : workers.entrySet()) {
            for (CapsuleWork work : worker.getValue().work()) {
                Seen last = seen.get(new Key(worker.getKey(), work.capsule().name()));
                if (last != null && last.stalledSince() != null && last.taken() == work.taken()) {
                    longest = Math.max(longest, now - Objects.requireNonNull(last.stalledSince()));
                }
            }
        }
        return Duration.ofNanos(longest);
    }
}
