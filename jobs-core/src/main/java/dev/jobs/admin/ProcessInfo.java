package dev.jobs.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A worker process, Ruby or Java, as published by its last heartbeat. Missing data is empty, 0 or null.
 *
 * @param identity {@code host:pid:nonce}
 * @param tag its name, given by its operators
 * @param capsules its groups of queues; old processes have none but do have queues
 * @param concurrency the number of jobs it can run at once
 * @param busy the number of jobs it runs now
 * @param beat its last heartbeat, by its clock
 * @param rtt how long a ping of Redis took
 * @param memory bytes of resident memory
 * @param quiet whether it takes no more jobs
 * @param leader whether {@code dear-leader} names it
 * @param version of its library
 * @param embedded whether it is part of an application, so that it can't be made quiet or stopped
 */
public record ProcessInfo(
        String identity,
        String hostname,
        long pid,
        String tag,
        @Nullable Instant startedAt,
        List<Capsule> capsules,
        List<String> queues,
        List<String> labels,
        int concurrency,
        int busy,
        @Nullable Instant beat,
        Duration rtt,
        long memory,
        boolean quiet,
        boolean leader,
        String version,
        boolean embedded) {

    public ProcessInfo {
        capsules = List.copyOf(capsules);
        queues = List.copyOf(queues);
        labels = List.copyOf(labels);
    }

    /** Whether it is a process of this library, which publishes the jobs it knows and returns stacks. */
    public boolean isOurs() {
        return version.startsWith("jobs-");
    }

    /**
     * A group of queues and the number of jobs that can run from them at once.
     *
     * @param mode {@code strict}, {@code weighted} or {@code random}
     * @param weights the queues in order, with their weights
     */
    public record Capsule(String name, int concurrency, String mode, Map<String, Integer> weights) {

        public Capsule {
            weights = Collections.unmodifiableMap(new LinkedHashMap<>(weights));
        }
    }
}
