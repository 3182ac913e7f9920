package dev.jobs.batches;

import dev.jobs.lists.EntryReader;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The batches that callers' keys lead to. A key leads to a batch as long as that exists; later it leads to a new one
 * with a new id, so that jobs of the old one never act on it. Thread-safe.
 */
final class KeyedBatches {

    private static final int LOOKS = 100;

    private final RedisConnection connection;
    private final BatchKeys names;

    KeyedBatches(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.names = new BatchKeys(keys);
    }

    /**
     * What a caller's key leads to.
     *
     * @param digest of the key; empty if the caller gave none
     * @param id the id of the batch
     * @param known the id that the key led to before; empty if it led to none
     */
    record Lead(String digest, String id, String known) {

        /** A batch without a key. */
        static Lead none(String id) {
            return new Lead("", id, "");
        }

        boolean isKeyed() {
            return !digest.isEmpty();
        }
    }

    /**
     * The batch that a key leads to, if that exists, else a new one.
     *
     * @param newId makes the id of a new batch
     */
    Lead follow(String digest, Supplier<String> newId) {
        byte @Nullable [] found = connection.run(commands -> commands.hget(names.byKey(), Bytes.of(digest)));
        String known = found == null ? "" : Bytes.text(found);
        boolean exists =
                BatchJobId.isBatch(known) && connection.<Long>run(commands -> commands.exists(names.batch(known))) == 1;
        return new Lead(digest, exists ? known : newId.get(), known);
    }

    /** Forgets some keys that lead to no batch any more. Returns the cursor for the next call. */
    String forgetSome(String cursor) {
        EntryReader.Step step = new EntryReader(connection).scanHash(names.byKey(), cursor, LOOKS);
        List<byte[]> all = new ArrayList<>(List.of(names.byKey()));
        List<byte[]> arguments = new ArrayList<>();
        for (int i = 0; i < step.flat().size(); i += 2) {
            byte[] digest = (byte[]) step.flat().get(i);
            byte[] id = (byte[]) step.flat().get(i + 1);
            all.add(names.batch(Bytes.text(id)));
            arguments.addAll(List.of(digest, id));
        }
        if (!arguments.isEmpty()) {
            connection.<Long>callForOne(
                    BatchScripts.FORGET,
                    ScriptOutputType.INTEGER,
                    all.toArray(byte[][]::new),
                    arguments.toArray(byte[][]::new));
        }
        return step.cursor();
    }
}
