package dev.jobs.shards;

import dev.jobs.JobStoreException;
import dev.jobs.client.ResultStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The results in all shards: those of a job are in one of them. Thread-safe. */
final class ShardedResults implements ResultStore {

    private final Map<String, ResultStore> shards;

    /** Shards that failed when they were last asked. They are asked last: the others may have the result. */
    private final Set<String> away = ConcurrentHashMap.newKeySet();

    /** @param shards home first */
    ShardedResults(Map<String, ResultStore> shards) {
        this.shards = new LinkedHashMap<>(shards);
    }

    /**
     * {@inheritDoc}
     *
     * @throws JobStoreException if a shard can't be asked and no other one has a result
     */
    @Override
    public byte @Nullable [] find(String jid) {
        List<String> order = new ArrayList<>(shards.keySet());
        order.sort(Comparator.comparing(Set.copyOf(away)::contains)); // others change it meanwhile
        JobStoreException failure = null;
        for (String shard : order) {
            try {
                byte[] found = in(shard, jid);
                away.remove(shard);
                if (found != null) {
                    return found;
                }
            } catch (JobStoreException e) {
                away.add(shard);
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return null;
    }

    private byte @Nullable [] in(String shard, String jid) {
        ResultStore store = shards.get(shard);
        return store == null ? null : ShardedJobStore.<byte @Nullable []>in(shard, () -> store.find(jid));
    }

    @Override
    public List<String> next(String client) {
        throw new UnsupportedOperationException("Each shard has a list of its own");
    }

    @Override
    public List<ResultStore> parts() {
        return List.copyOf(shards.values());
    }

    @Override
    public Duration longestCall() {
        return shards.values().stream()
                .map(ResultStore::longestCall)
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }
}
