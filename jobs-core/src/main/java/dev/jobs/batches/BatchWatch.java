package dev.jobs.batches;

import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks after the lists of batches: what their keys say counts, whatever notes were lost. Thread-safe.
 */
final class BatchWatch {

    /** How many batches one call looks at. */
    static final int TOGETHER = 100;

    private final RedisConnection connection;
    private final BatchKeys names;

    BatchWatch(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.names = new BatchKeys(keys);
    }

    /**
     * A batch that was looked at.
     *
     * @param counters a text that changes with any of its counters
     * @param isGone whether its keys have expired, so that it was removed from the lists
     * @param isNoted whether it wanted a look that nothing had asked for, and has a note now
     */
    record Watched(String id, String counters, boolean isGone, boolean isNoted) {}

    /** Looks at batches, at most {@value #TOGETHER}. */
    List<Watched> look(List<String> ids) {
        if (ids.isEmpty()) {
            return List.of();
        }
        List<byte[]> all = new ArrayList<>(List.of(names.all(), names.open(), names.cancelled(), names.resting()));
        for (String id : ids) {
            all.add(names.batch(id));
            all.add(names.definition(id));
        }
        List<Object> answer = connection.call(
                BatchScripts.WATCH,
                all.toArray(byte[][]::new),
                ids.stream().map(Bytes::of).toArray(byte[][]::new));
        List<Watched> watched = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            String counters = Bytes.text(answer.get(2 * i));
            watched.add(
                    new Watched(ids.get(i), counters, counters.isEmpty(), Bytes.number(answer.get(2 * i + 1)) == 1));
        }
        return watched;
    }
}
