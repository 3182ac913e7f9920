package dev.jobs.versions;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.processes.ProcessRegistry.Shown;
import dev.jobs.processes.PublishedJobs;
import dev.jobs.processes.PublishedJobs.Shape;
import dev.jobs.processes.SharedReading;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the live workers of all versions publish about the jobs they run. Asks Redis only when a job can't run here, and
 * at most every two seconds, as often as workers publish. While a deployment goes on, many workers ask, so one reads the
 * others for all: what they publish is the same for all of a version. Thread-safe.
 */
@Internal
public final class OtherWorkers implements ForeignJobs.Others {

    private static final Duration FRESH = Duration.ofSeconds(2);
    private static final String WORKERS = "workers";

    private final ProcessRegistry registry;
    private final SharedReading shared;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private List<Worker> workers = List.of();
    private long readAt;
    private boolean read;

    /** One that takes jobs. */
    private record Worker(Set<String> queues, PublishedJobs jobs) {}

    public OtherWorkers(ProcessRegistry registry, SharedReading shared, LongSupplier nanoTime) {
        this.registry = registry;
        this.shared = shared;
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
                .map(worker -> worker.jobs().byName().get(job))
                .anyMatch(shape -> shape != null && !shape.equals(own));
    }

    private List<Worker> current() {
        lock.lock();
        try {
            if (!read || nanoTime.getAsLong() - readAt > FRESH.toNanos()) {
                try {
                    workers = shared.read(() -> Optional.of(read()), OtherWorkers::write, OtherWorkers::parse)
                            .orElseThrow();
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

    /** One for each version and set of queues. */
    private List<Worker> read() {
        List<Shown> active = registry.list().stream()
                .filter(each -> !"true".equals(each.fields().get("quiet")))
                .toList();
        Map<String, PublishedJobs> jobs =
                registry.published(active.stream().map(Shown::identity).toList());
        Set<Worker> found = new LinkedHashSet<>();
        for (Shown each : active) {
            PublishedJobs known = jobs.get(each.identity());
            if (known != null && !known.byName().isEmpty()) {
                found.add(new Worker(queues(each), known));
            }
        }
        return List.copyOf(found);
    }

    private static byte[] write(List<Worker> workers) {
        try {
            return JsonObject.of(Map.of(
                            WORKERS,
                            workers.stream()
                                    .map(each -> List.of(
                                            List.copyOf(each.queues()),
                                            each.jobs().text()))
                                    .toList()))
                    .bytes();
        } catch (JsonException e) {
            throw new IllegalStateException(e); // texts have a JSON form
        }
    }

    /** Empty if it says something else. */
    private static Optional<List<Worker>> parse(byte[] text) {
        try {
            if (!(JsonObject.parse(text).get(WORKERS) instanceof List<?> all)) {
                return Optional.empty();
            }
            List<Worker> workers = new ArrayList<>();
            for (Object each : all) {
                if (each instanceof List<?> parts
                        && parts.size() == 2
                        && parts.get(0) instanceof List<?> queues
                        && parts.get(1) instanceof String shapes) {
                    workers.add(new Worker(names(queues), PublishedJobs.parse(shapes)));
                }
            }
            return Optional.of(workers);
        } catch (JsonException e) {
            return Optional.empty();
        }
    }

    private static Set<String> names(List<?> queues) {
        return queues.stream().map(String::valueOf).collect(Collectors.toUnmodifiableSet());
    }

    private static Set<String> queues(Shown process) {
        String info = process.fields().getOrDefault("info", "");
        try {
            Object queues =
                    JsonObject.parse(info.getBytes(StandardCharsets.UTF_8)).get("queues");
            return queues instanceof List<?> list ? names(list) : Set.of();
        } catch (JsonException e) {
            return Set.of();
        }
    }
}
