package dev.jobs.redis;

import dev.jobs.redis.CallLimits.Portion;
import dev.jobs.redis.EntryReader.Order;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads and changes queues: names, sizes, jobs, pauses. Thread-safe. */
public final class JobQueues {

    private static final int TOGETHER = 100;
    private static final long WRONG_TYPE = -1;

    /**
     * A queue at one moment.
     *
     * @param size jobs in it; 0 if it is broken
     * @param next the stored bytes of the next job, or null if there is none
     * @param cut whether the job is so large that only its last bytes were read
     * @param broken whether its key holds another type, so that no job can be pushed or claimed
     */
    public record State(String name, long size, byte @Nullable [] next, boolean cut, boolean broken) {}

    /** Larger jobs are not read whole just to find out since when they wait. */
    private static final int WHOLE = 64 * 1_024;

    private static final int TAIL = 16 * 1_024;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final EntryReader reading;

    public JobQueues(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.reading = new EntryReader(connection);
    }

    /** The names of all queues that had a job since they were last cleared, at most 10,000. */
    public List<String> names() {
        return Replies.members(connection, keys.queues());
    }

    /** Whether the name is among {@link #names()}. */
    public boolean knows(String queue) {
        return Replies.unlessWrongType(
                        () -> connection.run(commands -> commands.sismember(keys.queues(), Bytes.of(queue))))
                .orElse(false);
    }

    /** The sizes of these queues; 0 for a broken one. */
    public Map<String, Long> sizes(List<String> queues) {
        Map<String, Long> sizes = new LinkedHashMap<>();
        for (List<String> some : slices(queues)) {
            List<Long> answers = connection.run(commands -> Replies.all(some.stream()
                    .map(queue -> Replies.unlessWrongType(commands.llen(keys.queue(queue)), 0L))
                    .toList()));
            for (int i = 0; i < some.size(); i++) {
                sizes.put(some.get(i), answers.get(i));
            }
        }
        return sizes;
    }

    /** The state of each of these queues, in the same order. */
    public List<State> states(List<String> queues) {
        List<State> states = new ArrayList<>();
        while (states.size() < queues.size()) {
            int from = states.size();
            List<String> some = queues.subList(from, Math.min(from + TOGETHER, queues.size()));
            List<Object> answers = connection.call(
                    LuaScript.QUEUE_HEADS,
                    some.stream().map(keys::queue).toArray(byte[][]::new),
                    new byte[][] {Bytes.of(WHOLE), Bytes.of(TAIL), Bytes.of(CallLimits.BYTES)});
            for (int i = 0; i < answers.size() / 3; i++) {
                long size = Bytes.number(answers.get(3 * i));
                byte[] next = size > 0 ? (byte[]) answers.get(3 * i + 1) : null;
                boolean cut = Bytes.number(answers.get(3 * i + 2)) == 1;
                states.add(new State(some.get(i), Math.max(0, size), next, cut, size == WRONG_TYPE));
            }
        }
        return states;
    }

    private static List<List<String>> slices(List<String> queues) {
        List<List<String>> slices = new ArrayList<>();
        for (int from = 0; from < queues.size(); from += TOGETHER) {
            slices.add(queues.subList(from, Math.min(from + TOGETHER, queues.size())));
        }
        return slices;
    }

    /** Whether its key holds another type than a list. */
    public boolean isBroken(String queue) {
        String type = connection.run(commands -> commands.type(keys.queue(queue)));
        return !type.equals("list") && !type.equals("none");
    }

    /** The number of jobs in a queue. */
    public long size(String queue) {
        return connection.run(commands -> commands.llen(keys.queue(queue)));
    }

    /** The stored bytes of a number of jobs, newest first, from an index, which is 0 for the newest. */
    public List<byte[]> newest(String queue, long from, int count) {
        return stored(reading.all(keys.queue(queue), Order.NEWEST, from, count));
    }

    /**
     * The stored bytes of a number of jobs, next one first, from an index, which is 0 for the job that is taken next.
     */
    public List<byte[]> oldest(String queue, long from, int count) {
        return stored(reading.all(keys.queue(queue), Order.OLDEST, from, count));
    }

    /**
     * The same, but only as many as one call returns: at most {@link CallLimits#BYTES}, unless the first one alone is
     * larger.
     */
    public Portion<byte[]> someOldest(String queue, long from, int count) {
        EntryReader.Part part = reading.some(keys.queue(queue), Order.OLDEST, from, count, CallLimits.BYTES);
        return new Portion<>(stored(part.flat()), part.cut());
    }

    private static List<byte[]> stored(List<Object> flat) {
        return flat.stream().map(entry -> (byte[]) entry).toList();
    }

    /** Removes a job from a queue by its exact bytes; of equal ones the newest. Returns whether it was there. */
    public boolean delete(String queue, byte[] stored) {
        return connection.run(commands -> commands.lrem(keys.queue(queue), 1, stored)) == 1;
    }

    /**
     * Removes the name of a queue, and its key if that holds no list. Returns false, and does nothing, if there are
     * jobs in it.
     */
    public boolean forget(String queue) {
        return connection.<Long>callForOne(
                        LuaScript.CLEAR,
                        ScriptOutputType.INTEGER,
                        new byte[][] {keys.queue(queue), keys.queues()},
                        new byte[][] {Bytes.of(queue), Bytes.of(1)})
                >= 0;
    }

    /**
     * Pauses a queue for all workers that observe Sidekiq's {@code paused} set. Returns whether it was not paused
     * before.
     */
    public boolean pause(String queue) {
        return connection.run(commands -> commands.sadd(keys.paused(), Bytes.of(queue))) == 1;
    }

    /** Ends a pause; parked jobs of the queue may go on. Returns whether the queue was paused. */
    public boolean resume(String queue) {
        boolean resumed = connection.run(commands -> commands.srem(keys.paused(), Bytes.of(queue))) == 1;
        if (resumed) {
            new ParkedJobs(connection, keys).lookSoon();
        }
        return resumed;
    }

    /** The names of paused queues, sorted, at most 10,000. */
    public Set<String> paused() {
        return new TreeSet<>(Replies.members(connection, keys.paused()));
    }
}
