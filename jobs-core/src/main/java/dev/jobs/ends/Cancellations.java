package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.admin.Finding;
import dev.jobs.admin.WaitReason;
import dev.jobs.client.JobStore;
import dev.jobs.client.PayloadRules;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.RubyTime;
import dev.jobs.lists.MoveEffects;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.LuaPart;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.Effect;
import dev.jobs.store.StoreKeys;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that were cancelled one by one. Nothing moves when a job is cancelled: workers learn of the cancellation,
 * and end the job when they have it. Thread-safe.
 */
@Internal
public final class Cancellations implements MoveEffects, WaitReason {

    /** Cancels a job within a script. */
    public static final LuaPart CANCELLING = LuaPart.of(Cancellations.class, "shared_cancelling");

    private static final LuaScript CANCEL = LuaScript.of(Cancellations.class, "cancel", CANCELLING);
    private static final LuaScript CANCEL_FORGET = LuaScript.of(Cancellations.class, "cancel_forget");

    private static final Duration KEPT = Duration.ofDays(30);

    /** How many cancellations there may be; a worker has all of them in its memory. */
    private static final int MOST = 200_000;

    private static final int TOGETHER = 1_000;
    private static final int MOST_CHARACTERS = 1_000;

    /**
     * Some cancellations, oldest first.
     *
     * @param jids the jobs
     * @param upTo the time of the last one, for the next call; the given time if there is none
     * @param last whether there are no more
     */
    record Page(List<String> jids, double upTo, boolean last) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final int most;

    public Cancellations(RedisConnection connection, RedisKeys keys) {
        this(connection, keys, MOST);
    }

    /** @param most how many cancellations there may be */
    Cancellations(RedisConnection connection, RedisKeys keys, int most) {
        this.connection = connection;
        this.keys = keys;
        this.most = most;
    }

    /**
     * The given jid.
     *
     * @throws InvalidJobException if no job can have it: it is null, blank or longer than 1,000 characters
     */
    public static String requireJid(@Nullable String jid) {
        if (jid == null || jid.isBlank()) {
            throw new InvalidJobException("Can't cancel a job without a jid");
        }
        if (jid.length() > MOST_CHARACTERS) {
            throw new InvalidJobException(
                    "Can't cancel a job whose jid has " + jid.length() + " characters; a jid has 24");
        }
        return jid;
    }

    /**
     * Cancels a job of a client.
     *
     * @return when it was cancelled: the given time, unless it had been cancelled before
     * @throws InvalidJobException if no job can have the jid
     */
    public static Instant cancel(JobStore store, @Nullable String jid, Instant now) {
        String valid = requireJid(jid);
        try {
            return store.cancel(valid, now);
        } catch (JobStoreException e) {
            throw new JobStoreException(
                    e.kind(),
                    "Could not cancel job " + PayloadRules.shown(valid) + ": " + e.getMessage(),
                    e.getCause(),
                    e.mayHaveRun());
        }
    }

    /**
     * Cancels a job, also for Ruby if it is iterable.
     *
     * @return when it was cancelled: the given time, unless it had been cancelled before
     * @throws JobsException if too many cancelled jobs wait for their ends
     */
    public Instant cancel(String jid, Instant now) {
        byte[] since = connection.callForOne(
                CANCEL,
                ScriptOutputType.VALUE,
                keys(jid).toArray(byte[][]::new),
                arguments(jid, now).toArray(byte[][]::new));
        if (since.length == 0) {
            throw new JobsException("Job " + OneLine.of(jid) + " can't be cancelled: " + most
                    + " cancelled jobs have not ended. Those that wait for long are better deleted, with JobsAdmin; "
                    + "what is left of jobs that had ended is removed within minutes");
        }
        return timeOf(Bytes.text(since));
    }

    /** The keys of {@link #CANCELLING}, two. */
    public List<byte[]> keys(String jid) {
        return List.of(new EndKeys(keys).iteration(jid), new StoreKeys(keys).cancelled());
    }

    /** The arguments of {@link #CANCELLING}, four. */
    public List<byte[]> arguments(String jid, Instant now) {
        return List.of(Bytes.of(now.getEpochSecond()), Bytes.of(KEPT.toSeconds()), Bytes.of(jid), Bytes.of(most));
    }

    /**
     * Forgets cancellations of jobs that are nowhere any more, but not those that were made anew.
     *
     * @param upTo time of the last cancellation that may be forgotten
     * @return how many were forgotten
     */
    public int forgetEnded(List<String> jids, double upTo) {
        long forgotten = 0;
        for (List<String> slice : CallBounds.slices(jids, CallBounds.JOBS)) {
            List<byte[]> all = new ArrayList<>(List.of(new StoreKeys(keys).cancelled()));
            List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(String.format(Locale.ROOT, "%.6f", upTo))));
            for (String jid : slice) {
                all.add(new EndKeys(keys).iteration(jid));
                arguments.add(Bytes.of(jid));
            }
            forgotten += connection.<Long>callForOne(
                    CANCEL_FORGET,
                    ScriptOutputType.INTEGER,
                    all.toArray(byte[][]::new),
                    arguments.toArray(byte[][]::new));
        }
        return (int) forgotten;
    }

    /**
     * Reads cancellations that are newer than a time, oldest first.
     *
     * @param after what an earlier call returned; 0 for all
     * @return the time of the last one; the given time if there is none
     */
    public double read(double after, Consumer<List<String>> reader) {
        double upTo = after;
        Page page;
        do {
            page = newerThan(upTo);
            reader.accept(page.jids());
            upTo = page.upTo();
        } while (!page.last());
        return upTo;
    }

    Page newerThan(double after) {
        Range<Double> newer = Range.from(Boundary.excluding(after), Boundary.unbounded());
        List<ScoredValue<byte[]>> found = connection.run(commands ->
                commands.zrangebyscoreWithScores(new StoreKeys(keys).cancelled(), newer, Limit.create(0, TOGETHER)));
        boolean last = found.size() < TOGETHER;
        List<String> jids = new ArrayList<>();
        double upTo = after;
        for (ScoredValue<byte[]> each : found) {
            String jid = Bytes.text(each.getValue());
            if (!jid.isEmpty()) {
                jids.add(jid);
            }
            if (!jid.isEmpty() || last) { // else a job of the same time may follow
                upTo = each.getScore();
            }
        }
        return new Page(jids, upTo, last);
    }

    /** When a job was cancelled; null if it was not, or has ended since. */
    public @Nullable Instant find(String jid) {
        Double at = Replies.unlessWrongType(() -> connection.<@Nullable Double>run(
                        commands -> commands.zscore(new StoreKeys(keys).cancelled(), Bytes.of(jid))))
                .orElse(null);
        return at == null ? null : RubyTime.ofSeconds(at);
    }

    /** How many there are. */
    public long count() {
        Long all = connection.run(commands -> commands.zcard(new StoreKeys(keys).cancelled()));
        return all == 0 ? 0 : all - 1; // without the member that keeps the newest time
    }

    /** What to forget in the step in which a cancelled job ends: the cancellation, and how far its iteration came. */
    public List<Effect> forget(String jid) {
        return List.of(uncancelled(keys, jid, ""), Effect.unlink(new EndKeys(keys).iteration(jid)));
    }

    /** Forgets whether a job was cancelled, in the step in which it ends. Its iteration may go on if it is revived. */
    public static Effect ended(RedisKeys keys, String jid) {
        return uncancelled(keys, jid, "");
    }

    /** Forgets whether a dead job was cancelled, in the step in which a person moves it to its queue. */
    public static List<Effect> revived(RedisKeys keys, Payload job) {
        String jid = job.jid();
        return jid == null || jid.isEmpty() ? List.of() : List.of(uncancelled(keys, jid, "queue"));
    }

    @Override
    public List<Effect> revived(Payload job) {
        return revived(keys, job);
    }

    @Override
    public List<Finding> ending(Payload job, Instant now) {
        String jid = job.jid();
        Instant cancelled = jid == null ? null : find(jid);
        return cancelled == null
                ? List.of()
                : List.of(Finding.warning(
                        "cancelled",
                        "",
                        "It was cancelled at " + cancelled + ", so it ends without being run when a worker takes it",
                        cancelled.toEpochMilli()));
    }

    private static Effect uncancelled(RedisKeys keys, String jid, String outcome) {
        return new Effect(
                "cancelled",
                List.of(new StoreKeys(keys).cancelled(), new EndKeys(keys).iteration(jid)),
                outcome,
                List.of(Bytes.of(jid)));
    }

    /** The time of the mark of a cancelled job; the epoch if the mark is not a number, which cancels the job too. */
    public static Instant timeOf(String mark) {
        try {
            return Instant.ofEpochSecond(Long.parseLong(mark));
        } catch (NumberFormatException | java.time.DateTimeException e) {
            return Instant.EPOCH;
        }
    }
}
