package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads batches for an archive outside Redis, over a connection of its own, which the first use opens. Thread-safe.
 *
 * <p>A batch whose definition has the field {@value BatchDefinition#UNARCHIVED} stays for {@link #LONGEST} after its
 * end; once the archive has it, it stays as long as any other.
 */
@Internal
public final class BatchArchiving implements AutoCloseable {

    /** How long a finished batch is kept that is not archived: 30 days. */
    public static final Duration LONGEST = Duration.ofDays(30);

    /** Maximum number of batches of one call. */
    public static final int AT_ONCE = 100;

    /** Maximum number of jobs on a page. */
    public static final int PAGE = 1_000;

    private final RedisConnection connection;
    private final BatchKeys names;
    private final BatchReader reader;

    public BatchArchiving(RedisConnections redis) {
        this(redis.open("jobs-history"), redis.keys());
    }

    BatchArchiving(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.names = new BatchKeys(keys);
        this.reader = new BatchReader(connection, keys);
    }

    /** The batches with these ids, at most {@value #AT_ONCE}, as far as there are any. */
    public Map<String, BatchStatus> statuses(List<String> ids) {
        return reader.statuses(ids);
    }

    /**
     * Jobs of a batch in the order of their indexes, at most {@value #PAGE}.
     *
     * @param after the index after which to begin; -1 for the first page
     */
    public BatchPage jobs(String id, long after) {
        return reader.jobs(id, Set.of(), after, PAGE);
    }

    /** The archive has the batch: from its end it is kept as long as any other. May be repeated. */
    public void archived(String id) {
        connection.call(BatchScripts.ARCHIVED, new byte[][] {names.definition(id), names.resting()}, new byte[][] {
            Bytes.of(id), Bytes.of(BatchDefinition.UNARCHIVED)
        });
    }

    @Override
    public void close() {
        connection.close();
    }
}
