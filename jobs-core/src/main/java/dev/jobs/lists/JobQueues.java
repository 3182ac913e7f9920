package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.CallBounds.Portion;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.redis.SortedQueue;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.ZAddArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes queues: names, sizes, jobs, pauses. Looks at the list and the sorted set of each, whether this process
 * knows it as sorted or not: what it reads may be for others, which do. Thread-safe.
 */
@Internal
public final class JobQueues {

    static final LuaScript QUEUE_HEADS = LuaScript.of(JobQueues.class, "queue_heads");
    static final LuaScript QUEUE_SIZES = LuaScript.of(JobQueues.class, "queue_sizes");

    private static final int TOGETHER = 100;
    /** So many such calls take one trip to Redis. */
    private static final int CALLS_TOGETHER = 10;
    /** Sizes are counters, and their answers tiny. */
    private static final int SIZES_TOGETHER = 1_000;

    private static final long WRONG_TYPE = -1;

    /**
     * A queue at one moment.
     *
     * @param size jobs in it; 0 if it is broken
     * @param next the stored bytes of the next job, or null if there is none
     * @param cut whether the job is so large that only its last bytes were read
     * @param broken whether a key of it holds another type, so that no job can be pushed or claimed
     */
    public record State(String name, long size, byte @Nullable [] next, boolean cut, boolean broken) {}

    /** Larger jobs are not read whole just to find out since when they wait. */
    private static final int WHOLE = 64 * 1_024;

    private static final int TAIL = 16 * 1_024;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final QueuePlaces places;

    public JobQueues(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.places = new QueuePlaces(connection, keys);
    }

    /** The names of all queues that had a job since they were last cleared, at most 10,000. */
    public List<String> names() {
        return Replies.members(connection, keys.queues());
    }

    /** The same, however many there are. */
    public List<String> allNames() {
        return Replies.allMembers(connection, keys.queues());
    }

    /** Whether the name is among {@link #names()}. */
    public boolean knows(String queue) {
        return Replies.unlessWrongType(
                        () -> connection.run(commands -> commands.sismember(keys.queues(), Bytes.of(queue))))
                .orElse(false);
    }

    /** The sizes of these queues; 0 for a broken one. */
    public Map<String, Long> sizes(List<String> queues) {
        return measure(queues).jobs();
    }

    /** How many jobs wait in the sorted sets of these queues, whether they are known to have them or not. */
    public Map<String, Long> inOrder(List<String> queues) {
        Map<String, Long> waiting = new LinkedHashMap<>();
        count(queues, (queue, listed, inOrder) -> waiting.put(queue, Math.max(0, inOrder)));
        return waiting;
    }

    /**
     * How many jobs are in queues.
     *
     * @param jobs 0 for a broken one
     * @param broken those of which a key holds another type, so that no job can be pushed or claimed
     */
    public record Sizes(Map<String, Long> jobs, Set<String> broken) {}

    /** The sizes of these queues, and which of them are broken. */
    public Sizes measure(List<String> queues) {
        Map<String, Long> jobs = new LinkedHashMap<>();
        Set<String> broken = new TreeSet<>();
        count(queues, (queue, listed, inOrder) -> {
            boolean usable = listed != WRONG_TYPE && inOrder != WRONG_TYPE;
            jobs.put(queue, usable ? listed + inOrder : 0);
            if (!usable) {
                broken.add(queue);
            }
        });
        return new Sizes(jobs, broken);
    }

    /** Receives how many jobs a queue has in its list and in its sorted set. */
    @FunctionalInterface
    private interface Counts {

        /** {@link #WRONG_TYPE} for a key of another type. */
        void of(String queue, long listed, long inOrder);
    }

    private void count(List<String> queues, Counts counts) {
        List<List<String>> slices = CallBounds.slices(queues, SIZES_TOGETHER);
        List<List<Object>> answers = connection.run(commands ->
                Replies.all(slices.stream().map(some -> sizes(commands, some)).toList()));
        for (int slice = 0; slice < slices.size(); slice++) {
            List<String> some = slices.get(slice);
            List<Object> sizes = answers.get(slice);
            for (int i = 0; i < some.size(); i++) {
                counts.of(some.get(i), Bytes.number(sizes.get(2 * i)), Bytes.number(sizes.get(2 * i + 1)));
            }
        }
    }

    private CompletionStage<List<Object>> sizes(
            RedisClusterAsyncCommands<byte[], byte[]> commands, List<String> queues) {
        return RedisConnection.eval(commands, QUEUE_SIZES, ScriptOutputType.MULTI, bothPlaces(queues), new byte[0][]);
    }

    /** The lists of these queues, and then their sorted sets. */
    private byte[][] bothPlaces(List<String> queues) {
        return Stream.concat(queues.stream().map(keys::queue), queues.stream().map(keys::order))
                .toArray(byte[][]::new);
    }

    /** Whether a queue is known to have a sorted set, also if new jobs no longer go there. */
    public boolean isSorted(String queue) {
        return keys.sorted(queue) != null;
    }

    /** How the sorted set of a queue is sorted; null if it is not known to have one. */
    public SortedQueue.@Nullable Rule rule(String queue) {
        return keys.sorted().of(queue);
    }

    /** The number of jobs in the list of a queue: in a sorted one, those that are taken before its set. */
    public long listed(String queue) {
        return Replies.unlessWrongType(() -> connection.run(commands -> commands.llen(keys.queue(queue))))
                .orElse(0L);
    }

    /** The state of each of these queues, in the same order. */
    public List<State> states(List<String> queues) {
        List<State> states = new ArrayList<>();
        for (List<String> many : CallBounds.slices(queues, TOGETHER * CALLS_TOGETHER)) {
            List<List<String>> slices = CallBounds.slices(many, TOGETHER);
            int bytes = connection.bounds().bytes() / slices.size();
            List<List<Object>> answers = connection.run(commands -> Replies.all(
                    slices.stream().map(some -> heads(commands, some, bytes)).toList()));
            for (int i = 0; i < slices.size(); i++) {
                add(slices.get(i), answers.get(i), states);
            }
        }
        return states;
    }

    /** Adds the states of these queues. An answer that became too large has only the first ones of them. */
    private void add(List<String> queues, List<Object> answer, List<State> states) {
        List<Object> heads = answer;
        List<String> left = queues;
        while (true) {
            int read = heads.size() / 3;
            for (int i = 0; i < read; i++) {
                long size = Bytes.number(heads.get(3 * i));
                byte[] next = size > 0 ? (byte[]) heads.get(3 * i + 1) : null;
                boolean cut = Bytes.number(heads.get(3 * i + 2)) == 1;
                states.add(new State(left.get(i), Math.max(0, size), next, cut, size == WRONG_TYPE));
            }
            left = left.subList(read, left.size());
            if (left.isEmpty()) {
                return;
            }
            List<String> others = left;
            heads = connection.run(
                    commands -> heads(commands, others, connection.bounds().bytes()));
        }
    }

    private CompletionStage<List<Object>> heads(
            RedisClusterAsyncCommands<byte[], byte[]> commands, List<String> queues, int bytes) {
        return RedisConnection.eval(commands, QUEUE_HEADS, ScriptOutputType.MULTI, bothPlaces(queues), new byte[][] {
            Bytes.of(WHOLE), Bytes.of(TAIL), Bytes.of(bytes)
        });
    }

    /** Whether its key holds another type than a list. */
    public boolean isBroken(String queue) {
        String type = connection.run(commands -> commands.type(keys.queue(queue)));
        return !type.equals("list") && !type.equals("none") || isSorted(queue) && isSetBroken(queue);
    }

    private boolean isSetBroken(String queue) {
        String type = connection.run(commands -> commands.type(keys.order(queue)));
        return !type.equals("zset") && !type.equals("none");
    }

    /** The number of jobs in a queue. */
    public long size(String queue) {
        return places.size(queue);
    }

    /** The stored bytes of a number of jobs, newest first, from an index, which is 0 for the newest. */
    public List<byte[]> newest(String queue, long from, int count) {
        return places.newest(queue, from, count);
    }

    /** The same of the list alone. */
    public List<byte[]> newestListed(String queue, long from, int count) {
        return places.newestListed(queue, from, count);
    }

    /** The stored bytes of all jobs of the sorted set alone. */
    public ScanStep.Steps<byte[]> scanInOrder(String queue) {
        return places.scanInOrder(queue);
    }

    /**
     * The stored bytes of a number of jobs, next one first, from an index, which is 0 for the job that is taken next.
     */
    public List<byte[]> oldest(String queue, long from, int count) {
        return places.oldest(queue, from, count);
    }

    /**
     * The same, but only as many as one call returns: at most {@link CallBounds#bytes}, unless the first one alone is
     * larger.
     */
    public Portion<byte[]> someOldest(String queue, long from, int count) {
        return places.someOldest(queue, from, count);
    }

    /** Removes a job from a queue by its exact bytes; of equal ones the newest. Returns whether it was there. */
    public boolean delete(String queue, byte[] stored) {
        return connection.run(commands -> commands.lrem(keys.queue(queue), 1, stored)) == 1
                || connection.run(commands -> commands.zrem(keys.order(queue), stored)) == 1;
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
            lookAtAll();
        }
        return resumed;
    }

    /** Lets the leader look soon at what waits elsewhere, if anything ever did. */
    public void lookAtAll() {
        connection.run(commands -> commands.zadd(keys.wake(), ZAddArgs.Builder.xx(), 0.0, Bytes.of("")));
    }

    /** Whether a queue is paused. */
    public boolean isPaused(String queue) {
        return Replies.unlessWrongType(
                        () -> connection.run(commands -> commands.sismember(keys.paused(), Bytes.of(queue))))
                .orElse(false);
    }

    /** The names of paused queues, sorted, at most 10,000. */
    public Set<String> paused() {
        return new TreeSet<>(Replies.members(connection, keys.paused()));
    }
}
