package dev.jobs.transactions;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.PersistentCall;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.SortedQueue;
import dev.jobs.redis.UseNote;
import dev.jobs.results.ResultEffects;
import dev.jobs.results.ResultKeys;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Stores what an outbox in a database relays. Slices of a lane have ascending numbers; Redis keeps the last one of each
 * lane, so a slice is stored once, however often and by whichever process it is sent. Thread-safe.
 */
@Internal
public final class OutboxPushes implements AutoCloseable {

    private static final LuaScript OUTBOX = LuaScript.of(OutboxPushes.class, "outbox", SortedQueue.ORDER);

    /** Maximum number of jobs of a slice. */
    public static final int SLICE = 500;

    /** How long a copy of an accepted slice must exist before it counts as stored. */
    public enum Acknowledgement {
        /** Redis has it in memory. */
        NONE,
        /** A replica has it, too. */
        REPLICA,
        /** Redis has it on disk; needs Redis 7.2 and its append-only file. */
        FSYNC
    }

    /**
     * A job of a slice.
     *
     * @param at when it is due, in epoch seconds as text; null if it goes to its queue at once
     */
    public record Relayed(String queue, @Nullable String at, byte[] payload) {}

    private static final ProtocolKeyword WAITAOF = new ProtocolKeyword() {
        @Override
        public byte[] getBytes() {
            return Bytes.of("WAITAOF");
        }

        @Override
        public String toString() {
            return "WAITAOF";
        }
    };

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final byte[] outbox;
    private final Duration timeout;
    private final UseNote results;

    /** Opens a connection of its own at its first use. */
    public OutboxPushes(RedisConnections redis) {
        this(redis.open("jobs-outbox"), redis.keys(), redis.timeout());
    }

    public OutboxPushes(RedisConnection connection, RedisKeys keys, Duration timeout) {
        this.connection = connection;
        this.keys = keys;
        this.outbox = new OutboxKeys(keys).outbox();
        this.timeout = timeout;
        this.results = new UseNote(connection, new ResultKeys(keys).used());
    }

    /**
     * Stores a slice and waits for it.
     *
     * @param lane identifies the lane among all lanes of all outboxes
     * @param number greater than that of the slice before
     * @param jobs at most {@value #SLICE}; with none, only the number is noted
     * @return false if it was stored before
     */
    public boolean store(String lane, long number, List<Relayed> jobs) {
        if (jobs.stream().anyMatch(job -> ResultEffects.mayConcern(job.payload()))) {
            results.set();
        }
        Map<String, Integer> queues = new LinkedHashMap<>();
        int queueKeys = 0;
        for (Relayed job : jobs) {
            if (job.at() == null) {
                queueKeys += queues.putIfAbsent(job.queue(), queueKeys + 1) != null
                        ? 0
                        : keys.sortedForNew(job.queue()) == null ? 1 : 2;
            }
        }
        List<byte[]> all = new ArrayList<>(List.of(outbox, keys.schedule(), keys.queues()));
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(lane), Bytes.of(number)));
        queues.keySet().forEach(queue -> {
            SortedQueue ordered = keys.sortedForNew(queue);
            if (ordered == null) {
                all.add(keys.queue(queue));
                arguments.add(Bytes.of(queue));
            } else {
                all.addAll(List.of(ordered.set(), ordered.tags()));
                arguments.addAll(List.of(Bytes.of("\n" + queue), Bytes.of("\n")));
            }
        });
        for (Relayed job : jobs) {
            arguments.add(Bytes.of(job.at() == null ? queues.get(job.queue()) : 0));
            SortedQueue ordered = job.at() == null ? keys.sortedForNew(job.queue()) : null;
            arguments.add(ordered != null ? ordered.rank(job.payload()) : Bytes.of(job.at() == null ? "" : job.at()));
            arguments.add(job.payload());
        }
        return new PersistentCall(
                                OUTBOX,
                                ScriptOutputType.INTEGER,
                                all.toArray(byte[][]::new),
                                arguments.toArray(byte[][]::new))
                        .<Long>over(connection, timeout, new AtomicBoolean())
                == 1;
    }

    /**
     * Waits until a slice that is stored has been acknowledged.
     *
     * @throws JobStoreException if that takes longer than half of the command timeout, or the server can't say
     */
    public void await(String lane, long number, Acknowledgement acknowledgement) {
        if (acknowledgement == Acknowledgement.NONE) {
            return;
        }
        long millis = Math.max(1, timeout.toMillis() / 2);
        long copies = connection.run(commands -> written(commands, lane, number)
                .thenCombine(
                        acknowledgement == Acknowledgement.REPLICA
                                ? commands.waitForReplication(1, millis)
                                : waitForDisk(commands, millis),
                        (stored, acknowledging) -> acknowledging));
        if (copies < 1) {
            throw new JobStoreException(
                    JobStoreException.Kind.TIMEOUT,
                    acknowledgement == Acknowledgement.REPLICA
                            ? "No replica has acknowledged the jobs within " + millis + " ms"
                            : "Redis has not written the jobs to disk within " + millis + " ms",
                    null);
        }
    }

    /**
     * The server waits for the last write of a connection, and this one need not be that which stored the slice. So it
     * writes the slice's number again. By its text, since a script that the server forgot would be sent behind the
     * wait.
     */
    private CompletionStage<Long> written(
            RedisClusterAsyncCommands<byte[], byte[]> commands, String lane, long number) {
        return commands.eval(
                OUTBOX.source(),
                ScriptOutputType.INTEGER,
                new byte[][] {outbox, keys.schedule(), keys.queues()},
                Bytes.of(lane),
                Bytes.of(number));
    }

    private static CompletionStage<Long> waitForDisk(RedisClusterAsyncCommands<byte[], byte[]> commands, long millis) {
        return commands.dispatch(
                        WAITAOF,
                        new IntegerListOutput<>(ByteArrayCodec.INSTANCE),
                        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(1).add(0).add(millis))
                .thenApply(copies -> copies.get(0));
    }

    /** Closes the connection; later calls fail. */
    @Override
    public void close() {
        connection.close();
    }
}
