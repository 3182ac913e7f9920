package dev.jobs.redis;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads limits, who holds their permits and which jobs are parked, and changes them. Thread-safe. */
public final class LimitStates {

    private static final byte[] HIGHEST = {(byte) 0xff};

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimitKeys limitKeys;
    private final ParkedJobs parked;
    private final EntryReader reading;

    public LimitStates(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.limitKeys = new LimitKeys(keys);
        this.parked = new ParkedJobs(connection, keys);
        this.reading = new EntryReader(connection);
    }

    /**
     * A limit at one moment.
     *
     * @param set how many permits people gave each key; null if they didn't
     * @param declared the same as the workers declare it
     * @param complete whether these are all keys with parked jobs
     */
    public record State(
            long held,
            long waiting,
            @Nullable Integer set,
            @Nullable Integer declared,
            boolean complete,
            List<KeyState> keys) {}

    /**
     * A key with parked jobs.
     *
     * @param oldest when its first parked job was enqueued, in epoch milliseconds
     */
    public record KeyState(String key, long held, long waiting, long oldest) {}

    /** A job that has a permit; null if the job has ended meanwhile. */
    public record Holder(String key, String incarnation, String queue, byte @Nullable [] payload) {}

    /**
     * A parked job.
     *
     * @param member as stored, which identifies it
     */
    public record Waiting(byte[] member, String key, String queue, byte[] payload) {}

    /** The names of all limits, sorted. */
    public List<String> names() {
        return parked.names();
    }

    /**
     * @param most keys at most
     * @param after the key after which to begin; null for the first one
     */
    public State read(String limit, int most, @Nullable String after) {
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(limit), Bytes.of(most)));
        if (after != null) {
            arguments.add(Bytes.of(after));
        }
        List<Object> answer = connection.call(
                LuaScript.LIMIT_READ,
                new byte[][] {limitKeys.permits(limit), limitKeys.parked(limit), limitKeys.limits()},
                arguments.toArray(byte[][]::new));
        List<Object> flat = Bytes.list(answer.get(5));
        List<KeyState> found = new ArrayList<>();
        for (int i = 0; i < flat.size(); i += 4) {
            found.add(new KeyState(
                    Bytes.text(flat.get(i)),
                    Bytes.number(flat.get(i + 1)),
                    Bytes.number(flat.get(i + 2)),
                    Bytes.number(flat.get(i + 3))));
        }
        return new State(
                Bytes.number(answer.get(0)),
                Bytes.number(answer.get(1)),
                permits(answer.get(2)),
                permits(answer.get(3)),
                Bytes.number(answer.get(4)) == 1,
                found);
    }

    private static @Nullable Integer permits(Object text) {
        return Bytes.text(text).matches("\\d{1,9}") ? Integer.valueOf(Bytes.text(text)) : null;
    }

    private static Range<byte[]> of(String key) {
        return Range.from(
                Range.Boundary.including(Bytes.of(key + "\n")),
                Range.Boundary.excluding(concat(Bytes.of(key + "\n"), HIGHEST)));
    }

    private static byte[] concat(byte[] one, byte[] other) {
        byte[] all = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, all, one.length, other.length);
        return all;
    }

    /** Who holds permits of a key, at most {@link CallLimits#JOBS}. */
    public List<Holder> holders(String limit, String key) {
        List<byte[]> members = connection.run(
                commands -> commands.zrangebylex(limitKeys.permits(limit), of(key), Limit.create(0, CallLimits.JOBS)));
        if (members.isEmpty()) {
            return List.of();
        }
        List<String[]> parts = members.stream()
                .map(member -> Bytes.text(member).split("\n", 3))
                .toList();
        List<byte @Nullable []> payloads = connection.run(commands -> Replies.all(parts.stream()
                .map(each -> commands.hget(keys.inFlight(each[1]), Bytes.of(each[2])))
                .toList()));
        List<Holder> holders = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            String[] each = parts.get(i);
            holders.add(new Holder(each[0], each[1], JobClaims.queueOf(each[2]), payloads.get(i)));
        }
        return holders;
    }

    /** The parked jobs of a key, the one that goes on first is the first. */
    public List<Waiting> waiting(String limit, String key, long from, int count) {
        return connection
                .run(commands -> commands.zrangebylex(limitKeys.parked(limit), of(key), Limit.create(from, count)))
                .stream()
                .map(LimitStates::waiting)
                .toList();
    }

    /** How many parked jobs of its key go on before this one. */
    public long before(String limit, Waiting job) {
        Range<byte[]> earlier = Range.from(
                Range.Boundary.including(Bytes.of(job.key() + "\n")), Range.Boundary.excluding(job.member()));
        return connection.run(commands -> commands.zlexcount(limitKeys.parked(limit), earlier));
    }

    /**
     * One step of a search for parked jobs whose stored bytes contain a text.
     *
     * @param cursor {@link JobSets#FIRST_STEP} for the first step
     */
    public Step search(String limit, String cursor, String text, int count) {
        EntryReader.Step step =
                reading.scanSet(limitKeys.parked(limit), cursor, count, "*" + Replies.escapeGlob(text) + "*");
        List<Waiting> found = new ArrayList<>();
        for (int i = 0; i < step.flat().size(); i += 2) {
            found.add(waiting((byte[]) step.flat().get(i)));
        }
        return new Step(found, step.cursor(), step.isLast(), step.looks());
    }

    /**
     * @param cursor of the next step
     * @param looked approximate number of entries read
     */
    public record Step(List<Waiting> found, String cursor, boolean last, int looked) {}

    private static Waiting waiting(byte[] member) {
        int[] ends = new int[4];
        int found = 0;
        for (int i = 0; i < member.length && found < 4; i++) {
            if (member[i] == '\n') {
                ends[found++] = i;
            }
        }
        String key = Bytes.text(Arrays.copyOfRange(member, 0, ends[0]));
        String queue = Bytes.text(Arrays.copyOfRange(member, Math.min(ends[1] + 1, ends[2]), ends[2]));
        return new Waiting(member, key, queue, Arrays.copyOfRange(member, ends[3] + 1, member.length));
    }

    /** Deletes a parked job for good, with its effects. Returns whether it was still parked. */
    public boolean delete(String limit, Waiting job, JobSets sets) {
        return sets.deleteParked(limitKeys.parked(limit), job.member(), job.payload());
    }

    /** Sets how many permits each key has; null leaves it to the workers again. Returns whether that is a change. */
    public boolean set(String limit, @Nullable Integer permits) {
        return change(limit, permits == null ? "" : permits.toString());
    }

    /** Removes a limit that isn't in use. Returns whether it did. */
    public boolean forget(String limit) {
        return change(limit, "forget");
    }

    private boolean change(String limit, String what) {
        return connection.<Long>callForOne(
                        LuaScript.LIMITS_SET,
                        ScriptOutputType.INTEGER,
                        new byte[][] {
                            limitKeys.limits(), limitKeys.wake(), limitKeys.permits(limit), limitKeys.parked(limit)
                        },
                        new byte[][] {Bytes.of(limit), Bytes.of(what)})
                == 1;
    }
}
