package dev.jobs.engine;

import dev.jobs.JobStoreException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import dev.jobs.redis.ProcessRegistry;
import dev.jobs.redis.ProcessRegistry.Shown;
import dev.jobs.redis.PublishedJobs;
import dev.jobs.redis.PublishedJobs.Shape;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the live workers of all versions publish about the jobs they run. Asks Redis only when a job can't run here, and
 * at most every two seconds, as often as workers publish. Thread-safe.
 */
final class OtherWorkers implements ForeignJobs.Others {

    private static final Duration FRESH = Duration.ofSeconds(2);

    private final ProcessRegistry registry;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private List<Worker> workers = List.of();
    private long readAt;
    private boolean read;

    /** One that takes jobs. */
    private record Worker(Set<String> queues, Map<String, Shape> jobs) {}

    OtherWorkers(ProcessRegistry registry, LongSupplier nanoTime) {
        this.registry = registry;
        this.nanoTime = nanoTime;
    }

    /**
     * Whether a worker of the queue knows the job with other parameters than this one. False if Redis can't say.
     *
     * @param own null if it is unknown here
     */
    @Override
    public boolean knowAnother(String queue, String job, @Nullable Shape own) {
        return current().stream()
                .filter(worker -> worker.queues().contains(queue))
                .map(worker -> worker.jobs().get(job))
                .anyMatch(shape -> shape != null && !shape.equals(own));
    }

    private List<Worker> current() {
        lock.lock();
        try {
            if (!read || nanoTime.getAsLong() - readAt > FRESH.toNanos()) {
                try {
                    workers = ask();
                } catch (JobStoreException e) {
                    workers = List.of(); // the job's settlement meets the same problem and reports it
                }
                read = true;
                readAt = nanoTime.getAsLong();
            }
            return workers;
        } finally {
            lock.unlock();
        }
    }

    private List<Worker> ask() {
        List<Shown> active = registry.list().stream()
                .filter(each -> !"true".equals(each.fields().get("quiet")))
                .toList();
        Map<String, PublishedJobs> jobs =
                registry.published(active.stream().map(Shown::identity).toList());
        List<Worker> found = new ArrayList<>();
        for (Shown each : active) {
            PublishedJobs known = jobs.get(each.identity());
            if (known != null && !known.byName().isEmpty()) {
                found.add(new Worker(queues(each), known.byName()));
            }
        }
        return found;
    }

    private static Set<String> queues(Shown process) {
        String info = process.fields().getOrDefault("info", "");
        try {
            Object queues =
                    JsonObject.parse(info.getBytes(StandardCharsets.UTF_8)).get("queues");
            return queues instanceof List<?> list
                    ? list.stream().map(String::valueOf).collect(Collectors.toUnmodifiableSet())
                    : Set.of();
        } catch (JsonException e) {
            return Set.of();
        }
    }
}
