package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.util.ArrayList;
import java.util.List;

/** The counts that prove that no claimed job was lost. Thread-safe. */
@Internal
public final class Ledger {

    static final LuaScript LEDGER = LuaScript.of(Ledger.class, "ledger");

    private static final int ATTEMPTS = 20;

    /**
     * All jobs that were ever claimed and their outcomes, read at one moment. Outcomes have other names here, see
     * docs/job-lifecycle.md.
     *
     * @param acked done or discarded
     * @param moved retried, dead or interrupted
     * @param requeued handed back
     * @param recovered put back after their worker died
     * @param poisoned buried because they outlived their workers too often
     * @param inFlight held by a process at present
     */
    public record Totals(
            long claimed, long acked, long moved, long requeued, long recovered, long poisoned, long inFlight) {

        /** Jobs not accounted for: 0, unless another client deleted or duplicated our data. */
        public long conservationError() {
            return claimed - acked - moved - requeued - recovered - poisoned - inFlight;
        }
    }

    private final RedisConnection connection;
    private final RedisKeys keys;

    public Ledger(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /** Reads the totals. */
    public Totals read() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            List<byte[]> members = connection.run(commands -> commands.zrange(keys.beats(), 0, -1));
            List<byte[]> all = new ArrayList<>(List.of(keys.ledger(), keys.beats()));
            members.forEach(member -> all.add(keys.inFlight(Bytes.text(member))));
            List<Object> books = connection.call(LEDGER, all.toArray(byte[][]::new), members.toArray(byte[][]::new));
            if (books.size() == 7) {
                long[] numbers = books.stream().mapToLong(Bytes::number).toArray();
                return new Totals(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]);
            }
        }
        throw new dev.jobs.JobStoreException(
                dev.jobs.JobStoreException.Kind.BUSY,
                "Processes came and went " + ATTEMPTS + " times while the ledger was read",
                null);
    }
}
