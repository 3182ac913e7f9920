package dev.jobs.shards;

import dev.jobs.BulkEndedException.State;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.client.JobStore;
import dev.jobs.client.ReadyJob;
import dev.jobs.client.ResultStore;
import dev.jobs.ordered.JobOrder;
import dev.jobs.shards.ShardMap.Spread;
import dev.jobs.shards.ShardMap.SpreadBy;
import dev.jobs.store.Check;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores each job in the shard of its queue. The errors of a shard name it. What belongs to no queue, such as marks of
 * cancelled jobs, is done in all shards. Thread-safe.
 */
@Internal
public final class ShardedJobStore implements JobStore {

    private final ShardMap map;

    /** In the order of the map. */
    private final Map<String, JobStore> shards;

    /**
     * @param map which shard each job goes to
     * @param shards the store of each shard of the map; closed with this one
     * @throws JobDefinitionException if a shard has no store, or a store no shard
     */
    public ShardedJobStore(ShardMap map, Map<String, ? extends JobStore> shards) {
        if (!shards.keySet().equals(new HashSet<>(map.shards()))) {
            throw new JobDefinitionException(
                    "There are stores for the shards " + shards.keySet() + ", and the shards are " + map.shards(),
                    "Give one store for each shard.");
        }
        Map<String, JobStore> ordered = new LinkedHashMap<>();
        map.shards().forEach(shard -> ordered.put(shard, Objects.requireNonNull(shards.get(shard))));
        this.map = map;
        this.shards = Collections.unmodifiableMap(ordered);
    }

    private JobStore store(String shard) {
        return Objects.requireNonNull(shards.get(shard));
    }

    @Override
    public boolean hasShards() {
        return true;
    }

    /** Opens all that can be opened, and fails with the last failure. */
    @Override
    public void open() {
        JobStoreException failure = null;
        for (Map.Entry<String, JobStore> shard : shards.entrySet()) {
            try {
                in(shard.getKey(), () -> {
                    shard.getValue().open();
                    return null;
                });
            } catch (JobStoreException e) {
                failure = e;
                if (Thread.currentThread().isInterrupted()) {
                    break;
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public boolean waitsForServer() {
        return true;
    }

    @Override
    public boolean isSorted(String queue) {
        return shards.values().stream().anyMatch(shard -> shard.isSorted(queue));
    }

    @Override
    public int callBytes() {
        return shards.values().stream().mapToInt(JobStore::callBytes).min().orElseThrow();
    }

    @Override
    public JobPushes.Sent send(List<ReadyJob> jobs) {
        ReadyJob first = jobs.get(0);
        boolean toOneQueue = first.at() == null;
        if (toOneQueue && !map.isSpread(first.queue())) {
            return send(shard(first), jobs);
        }
        return ShardedPush.send(this, jobs);
    }

    /** Sends jobs that all go to one shard. */
    JobPushes.Sent send(String shard, List<ReadyJob> jobs) {
        return in(shard, () -> new SentToShard(shard, store(shard).send(jobs)));
    }

    /** Where a shard is in the map's order. */
    int position(String shard) {
        return map.shards().indexOf(shard);
    }

    @Override
    public String shard(ReadyJob job) {
        Spread spread = map.spread(job.queue());
        String key = spread == null || spread.by() == SpreadBy.JID ? null : key(job.payload());
        return map.of(job.queue(), job.jid(), key);
    }

    private static String key(byte[] payload) {
        try {
            return JobOrder.key(Payload.parse(payload));
        } catch (InvalidPayloadException e) {
            throw new IllegalStateException(e); // it passed the rules before
        }
    }

    /** Whether a job goes to another shard if its own certainly did not store it. */
    boolean mayFailOver(ReadyJob job) {
        Spread spread = map.spread(job.queue());
        return spread != null && spread.failover();
    }

    /** The shard that takes over a job which one did not store; null if there is none left. */
    @Nullable String after(String shard, ReadyJob job) {
        Spread spread = map.spread(job.queue());
        if (spread == null || !spread.failover()) {
            return null;
        }
        List<String> order = map.order(spread, job.jid());
        int next = order.indexOf(shard) + 1;
        return next < order.size() ? order.get(next) : null;
    }

    @Override
    public List<Check> checks(Payload payload, JobRegistry registry, InstantSource clock) {
        SpreadRules.check(map, payload, registry);
        List<Check> checks = List.of();
        for (String shard : map.of(String.valueOf(payload.queue()))) {
            checks = store(shard).checks(payload, registry, clock); // there are none if there are several shards
        }
        return checks;
    }

    /**
     * {@inheritDoc} Its id doesn't say where the job is, so it is marked as cancelled in every shard.
     *
     * @throws JobStoreException if a shard can't be reached; the others have the mark all the same
     */
    @Override
    public Instant cancel(String jid, Instant now) {
        Instant earliest = now;
        JobStoreException failure = null;
        for (Map.Entry<String, JobStore> each : shards.entrySet()) {
            try {
                Instant cancelled = in(each.getKey(), () -> each.getValue().cancel(jid, now));
                earliest = cancelled.isBefore(earliest) ? cancelled : earliest;
            } catch (JobStoreException e) {
                failure = failure == null ? e : ShardedPush.and(failure, e);
            }
        }
        if (failure != null) {
            throw new JobStoreException(
                    failure.kind(),
                    failure.getMessage()
                            + "; if the job is in another shard, it is cancelled, else repeat the call when this one is back",
                    failure.getCause(),
                    true);
        }
        return earliest;
    }

    @Override
    public ResultStore results() {
        Map<String, ResultStore> parts = new LinkedHashMap<>();
        shards.forEach((shard, store) -> parts.put(shard, store.results()));
        return new ShardedResults(parts);
    }

    /** The longest of all. */
    @Override
    public Duration timeout() {
        return shards.values().stream()
                .map(JobStore::timeout)
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Override
    public void renewId() {
        shards.values().forEach(JobStore::renewId);
    }

    @Override
    public void close() {
        shards.values().forEach(JobStore::close);
    }

    /** Does something in a shard, and names it in what fails. */
    static <T extends @Nullable Object> T in(String shard, Supplier<T> step) {
        try {
            return step.get();
        } catch (JobStoreException e) {
            throw new JobStoreException(
                    e.kind(), "shard '" + shard + "': " + e.getMessage(), e.getCause(), e.mayHaveRun());
        }
    }

    private record SentToShard(String shard, JobPushes.Sent sent) implements JobPushes.Sent {

        @Override
        public PushAnswers await() {
            return in(shard, sent::await);
        }

        @Override
        public PushAnswers repeat(Duration atMost) {
            return in(shard, () -> sent.repeat(atMost));
        }

        @Override
        public boolean mayBeStored() {
            return sent.mayBeStored();
        }

        @Override
        public State state(int index) {
            return sent.state(index);
        }

        @Override
        public void giveUp() {
            sent.giveUp();
        }
    }
}
