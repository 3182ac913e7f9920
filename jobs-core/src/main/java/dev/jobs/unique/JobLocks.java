package dev.jobs.unique;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.admin.Found;
import dev.jobs.admin.ScanBudget;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.KeyScan;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.redis.UseNote;
import dev.jobs.store.Check;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The locks of unique jobs. Thread-safe. */
@Internal
public final class JobLocks {

    private static final LuaScript BEGIN = LuaScript.of(JobLocks.class, "begin");
    private static final LuaScript UNLOCK = LuaScript.of(JobLocks.class, "unlock");

    /** What a refused push has before the jid of the job that holds the lock. */
    public static final String REFUSED = "locked:";

    /** The same if the job went to the dead set. */
    public static final String BURIED = "buried:";

    private static final int STEP = 1_000;

    private final RedisConnection connection;
    private final LockKeys keys;
    private final DeadSetBounds dead;
    private final UseNote use;

    public JobLocks(RedisConnection connection, RedisKeys keys) {
        this(connection, keys, DeadSetBounds.defaults());
    }

    /** @param dead the bounds of the set where rejected jobs go */
    public JobLocks(RedisConnection connection, RedisKeys keys, DeadSetBounds dead) {
        this.connection = connection;
        this.keys = new LockKeys(keys);
        this.use = new UseNote(connection, this.keys.used());
        this.dead = dead;
    }

    /**
     * What a payload needs to be stored: its lock, or the place of the debounced job before it.
     *
     * @param clock what delays are counted from; asked only if there is a lock
     */
    public List<Check> checks(Payload payload, InstantSource clock) {
        JobLock lock = JobLock.of(payload);
        Debounce debounce = Debounce.of(payload);
        if (lock == null) {
            return debounce == null ? List.of() : List.of(debounce.check(keys));
        }
        double due = payload.get("at") instanceof Number at ? at.doubleValue() : 0;
        return List.of(lock.check(keys, payload, due, clock.instant(), dead));
    }

    /**
     * Notes that there are unique jobs, so that clearing a queue looks for them. To be called before each push that
     * takes locks; asks Redis once a minute, since the note may have been deleted.
     */
    public void noteUse() {
        use.set();
    }

    /**
     * Begins a unique job: releases its lock, if that ends now, and keeps others from replacing the job. Returns false
     * if it has been replaced and must not run. Changes nothing if the process has given the job back. Asks Redis only
     * for jobs that need it.
     *
     * @param incarnation the process that holds the job
     * @param token under which it does
     */
    public boolean begin(String incarnation, String token, Payload payload) {
        JobLock lock = JobLock.of(payload);
        if (lock == null || lock.until() != Until.START && !lock.isReplaceable()) {
            return true;
        }
        byte[][] all = {keys.lock(lock.digest()), keys.twin(lock.digest()), keys.inFlight(incarnation)};
        byte[][] arguments = {Bytes.of(lock.jid()), Bytes.of(lock.until() == Until.START ? 1 : 0), Bytes.of(token)};
        return connection.<Long>callForOne(BEGIN, ScriptOutputType.INTEGER, all, arguments) == 1;
    }

    /** Whether a job was replaced while it waited, so that it is not run. Asks Redis only for jobs that need it. */
    boolean isReplaced(Payload payload) {
        JobLock lock = JobLock.of(payload);
        return lock != null
                && lock.isReplaceable()
                && Replies.unlessWrongType(() -> connection.run(
                                commands -> commands.hexists(keys.twin(lock.digest()), Bytes.of("-" + lock.jid()))))
                        .orElse(false);
    }

    /** Whether a job waits in the scheduled set until its lock ends. Asks Redis only for jobs that need it. */
    boolean isLater(Payload payload, byte[] stored) {
        JobLock lock = JobLock.of(payload);
        return lock != null
                && lock.onConflict() == OnConflict.LATER
                && Replies.unlessWrongType(() -> connection.<byte @Nullable []>run(
                                commands -> commands.hget(keys.twin(lock.digest()), Bytes.of("job"))))
                        .map(twin -> Arrays.equals(twin, stored))
                        .orElse(false);
    }

    /** The key of a lock. */
    public byte[] key(String digest) {
        return keys.lock(digest);
    }

    /** Releases a lock if that job holds it. Returns whether it did. */
    public boolean release(String digest, String holder) {
        return connection.<Long>callForOne(
                        UNLOCK, ScriptOutputType.INTEGER, new byte[][] {keys.lock(digest)}, new byte[][] {
                            Bytes.of(holder)
                        })
                == 1;
    }

    /** Finds who holds a lock. */
    public Optional<HeldLock> find(String digest) {
        return held(List.of(digest)).stream().findFirst();
    }

    /** Finds who holds locks; null for each that nobody does. */
    public List<@Nullable String> holders(List<String> digests) {
        // One command for each, so that a key of another type is an error of its own.
        List<byte @Nullable []> holders = connection.run(commands -> Replies.all(digests.stream()
                .map(digest -> Replies.<byte @Nullable []>unlessWrongType(commands.get(keys.lock(digest)), null))
                .toList()));
        List<@Nullable String> texts = new ArrayList<>();
        holders.forEach(holder -> texts.add(holder == null ? null : Bytes.text(holder)));
        return texts;
    }

    /** Reads locks, in no order. Scans the names of all keys, a thousand in each step. */
    public Found<HeldLock> all(ScanBudget budget) {
        return Found.atKeys(new KeyScan(connection, keys.prefix(), STEP), this::held, budget);
    }

    private List<HeldLock> held(List<String> digests) {
        if (digests.isEmpty()) {
            return List.of();
        }
        List<@Nullable String> holders = holders(digests);
        List<Long> times = connection.run(commands ->
                Replies.all(digests.stream().map(keys::lock).map(commands::pttl).toList()));
        List<HeldLock> held = new ArrayList<>();
        for (int i = 0; i < digests.size(); i++) {
            String digest = digests.get(i);
            Duration left = times.get(i) < 0 ? null : Duration.ofMillis(times.get(i));
            String holder = holders.get(i);
            if (holder != null) {
                held.add(new HeldLock(digest, holder, left));
            }
        }
        return held;
    }
}
