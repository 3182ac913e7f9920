package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.ScanStep;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.CallBounds.Portion;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.JobClaims;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads limits, who holds their permits and which jobs are parked, and changes them. Thread-safe. */
@Internal
public final class LimitStates {

    private static final String QUEUES = "queues";
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
     * @param set what people set
     * @param declared what the workers declare
     * @param complete whether these are all keys with parked jobs
     */
    public record State(
            long held, long waiting, LimitNumbers set, LimitNumbers declared, boolean complete, List<KeyState> keys) {}

    /**
     * A key with parked jobs.
     *
     * @param oldest when its first parked job was enqueued, in epoch milliseconds
     * @param next how long until one of them may start by the rate; zero if it may now
     */
    public record KeyState(String key, long held, long waiting, long oldest, Duration next) {}

    /** A job that has a permit; null if the job has ended meanwhile. */
    record Holder(String key, String incarnation, String queue, byte @Nullable [] payload) {}

    /**
     * A parked job.
     *
     * @param member as stored, which identifies it
     * @param time by what it is sorted among those of its key: when it was enqueued, as text of 16 digits
     */
    public record Waiting(byte[] member, String key, String time, String queue, byte[] payload) {}

    /** The names of all limits, sorted. */
    public List<String> names() {
        return parked.names();
    }

    /** How many jobs are parked, at all limits together. */
    public long parked() {
        List<String> limits = names();
        return limits.isEmpty()
                ? 0
                : ParkedJobs.sizes(connection, limitKeys, limits).stream()
                        .mapToLong(Long::longValue)
                        .sum();
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
        return read(limit, arguments);
    }

    private State read(String limit, List<byte[]> arguments) {
        List<Object> answer = connection.call(
                LimitScripts.LIMIT_READ,
                new byte[][] {limitKeys.permits(limit), limitKeys.parked(limit), limitKeys.limits(), limitKeys.rates()},
                arguments.toArray(byte[][]::new));
        List<Object> flat = Bytes.list(answer.get(5));
        List<KeyState> found = new ArrayList<>();
        for (int i = 0; i < flat.size(); i += 5) {
            found.add(new KeyState(
                    Bytes.text(flat.get(i)),
                    Bytes.number(flat.get(i + 1)),
                    Bytes.number(flat.get(i + 2)),
                    Bytes.number(flat.get(i + 3)),
                    Duration.of(Bytes.number(flat.get(i + 4)), ChronoUnit.MICROS)));
        }
        return new State(
                Bytes.number(answer.get(0)),
                Bytes.number(answer.get(1)),
                LimitNumbers.of(Bytes.text(answer.get(2))),
                LimitNumbers.of(Bytes.text(answer.get(3))),
                Bytes.number(answer.get(4)) == 1,
                found);
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

    /** Who holds permits of a key, at most {@link CallBounds#JOBS}. */
    List<Holder> holders(String limit, String key) {
        List<byte[]> members = connection.run(
                commands -> commands.zrangebylex(limitKeys.permits(limit), of(key), Limit.create(0, CallBounds.JOBS)));
        if (members.isEmpty()) {
            return List.of();
        }
        List<String[]> parts = members.stream()
                .map(member -> Bytes.text(member).split("\n", 3))
                .toList();
        List<byte @Nullable []> payloads = payloads(parts);
        List<Holder> holders = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            String[] each = parts.get(i);
            holders.add(new Holder(each[0], each[1], JobClaims.queueOf(each[2]), payloads.get(i)));
        }
        return holders;
    }

    /** Of permits; no more at a time than one call may carry. */
    private List<byte @Nullable []> payloads(List<String[]> permits) {
        List<Long> sizes = connection.run(commands -> Replies.all(permits.stream()
                .map(each -> commands.hstrlen(keys.inFlight(each[1]), Bytes.of(each[2])))
                .toList()));
        List<Integer> all = IntStream.range(0, permits.size()).boxed().toList();
        List<byte @Nullable []> payloads = new ArrayList<>();
        for (List<Integer> some : connection.bounds().cut(all, sizes::get)) {
            payloads.addAll(connection.run(commands -> Replies.all(some.stream()
                    .map(permits::get)
                    .map(each -> commands.hget(keys.inFlight(each[1]), Bytes.of(each[2])))
                    .toList())));
        }
        return payloads;
    }

    /** How many jobs of a key are parked. */
    long waiting(String limit, String key) {
        return connection.run(commands -> commands.zlexcount(limitKeys.parked(limit), of(key)));
    }

    /** The parked jobs of a key, the one that goes on first is the first: no more than a page may have. */
    public Portion<Waiting> waiting(String limit, String key, long from, int count) {
        EntryReader.Part part =
                reading.page(limitKeys.parked(limit), EntryReader.Order.LEXICAL, from, count, first(key), after(key));
        return new Portion<>(waiting(part.flat()), part.cut());
    }

    /** The bounds of what begins with a text and a line break. */
    private static String first(String text) {
        return "[" + text + "\n";
    }

    private static String after(String text) {
        return "(" + text + (char) ('\n' + 1);
    }

    private static List<Waiting> waiting(List<Object> members) {
        return members.stream().map(each -> waiting((byte[]) each)).toList();
    }

    /** How many parked jobs of its key go on before this one. */
    public long before(String limit, Waiting job) {
        Range<byte[]> earlier = Range.from(
                Range.Boundary.including(Bytes.of(job.key() + "\n")), Range.Boundary.excluding(job.member()));
        return connection.run(commands -> commands.zlexcount(limitKeys.parked(limit), earlier));
    }

    /** Searches for parked jobs whose stored bytes contain a text. */
    public ScanStep.Steps<Waiting> search(String limit, String text) {
        return (cursor, count) -> {
            EntryReader.Step step = reading.scanSet(limitKeys.parked(limit), cursor, count, text);
            List<Waiting> found = new ArrayList<>();
            for (int i = 0; i < step.flat().size(); i += 2) {
                found.add(waiting((byte[]) step.flat().get(i)));
            }
            return step.with(found);
        };
    }

    /**
     * Some of the parked jobs of a key that were enqueued at a time: those of a bulk call are many.
     *
     * @param from how many to skip
     * @return as many as one call returns: at most {@link CallBounds#JOBS} and {@link CallBounds#bytes}, unless the
     *     first one alone is larger. Empty only after the last one
     */
    List<Waiting> enqueuedAt(String limit, String key, String time, long from) {
        String begin = key + "\n" + time;
        return waiting(reading.some(
                        limitKeys.parked(limit),
                        EntryReader.Order.LEXICAL,
                        from,
                        CallBounds.JOBS,
                        connection.bounds().bytes(),
                        first(begin),
                        after(begin))
                .flat());
    }

    public static Waiting waiting(byte[] member) {
        int[] ends = new int[4];
        int found = 0;
        for (int i = 0; i < member.length && found < 4; i++) {
            if (member[i] == '\n') {
                ends[found++] = i;
            }
        }
        String key = Bytes.text(Arrays.copyOfRange(member, 0, ends[0]));
        String time = Bytes.text(Arrays.copyOfRange(member, Math.min(ends[0] + 1, ends[1]), ends[1]));
        String queue = Bytes.text(Arrays.copyOfRange(member, Math.min(ends[1] + 1, ends[2]), ends[2]));
        return new Waiting(member, key, time, queue, Arrays.copyOfRange(member, ends[3] + 1, member.length));
    }

    /** Deletes a parked job for good, with its effects. Returns whether it was still parked. */
    public boolean delete(String limit, Waiting job, JobSets sets) {
        return sets.deleteParked(limitKeys.parked(limit), job.member(), job.payload());
    }

    /** How long until a parked job with that key may start by the limit's rate; zero if it may now. */
    public Duration next(String limit, String key) {
        return read(limit, List.of(Bytes.of(limit), Bytes.of(1), Bytes.of(key), Bytes.of(1))).keys().stream()
                .filter(each -> each.key().equals(key))
                .findFirst()
                .map(KeyState::next)
                .orElse(Duration.ZERO);
    }

    /** Sets what the numbers say, and leaves the rest as it is. Returns whether that is a change. */
    public boolean set(String limit, LimitNumbers numbers) {
        Integer permits = numbers.concurrency();
        LimitRate rate = numbers.rate();
        return change(
                limit, "set", permits == null ? "" : permits.toString(), rate == null ? "" : LimitNumbers.stored(rate));
    }

    /** What the workers declare counts again. Returns whether that is a change. */
    public boolean reset(String limit) {
        return change(limit, "reset", "", "");
    }

    /** Removes a limit that isn't in use. Returns whether it did. */
    public boolean forget(String limit) {
        return change(limit, "forget", "", "");
    }

    private boolean change(String limit, String what, String permits, String rate) {
        List<byte[]> all = new ArrayList<>(
                List.of(limitKeys.limits(), limitKeys.wake(), limitKeys.permits(limit), limitKeys.parked(limit)));
        List<byte[]> arguments =
                new ArrayList<>(List.of(Bytes.of(limit), Bytes.of(what), Bytes.of(permits), Bytes.of(rate)));
        String queue = QueueLimit.queueOf(limit);
        if (queue != null) {
            all.add(limitKeys.bell(queue));
            arguments.add(Bytes.of(queue));
        }
        return connection.<Long>callForOne(
                        LimitScripts.LIMITS_SET,
                        ScriptOutputType.INTEGER,
                        all.toArray(byte[][]::new),
                        arguments.toArray(byte[][]::new))
                == 1;
    }

    /**
     * The queues for which people set limits; none if they can't be read.
     *
     * @throws JobStoreException if Redis can't be reached
     */
    public List<String> queues() {
        try {
            return Bytes.lines(
                    connection.<byte @Nullable []>run(commands -> commands.hget(limitKeys.limits(), Bytes.of(QUEUES))));
        } catch (JobStoreException e) {
            switch (e.kind()) {
                case WRONG_TYPE, DENIED, OTHER -> {
                    return List.of(); // a key of limits must not keep a worker from its jobs
                }
                default -> throw e;
            }
        }
    }
}
