package dev.jobs.store;

import dev.jobs.BulkEndedException.State;
import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.PersistentCall;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisErrors;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.SortedQueue;
import io.lettuce.core.ScriptOutputType;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Puts payloads into queues and into the scheduled set. Each call stores them once, even if it has to be repeated.
 * Payloads may carry checks; a payload that a check refuses is left out. Thread-safe.
 *
 * <p>A push takes a lane and writes its number there when it is executed. A repeated push finds its own number; a late
 * copy that arrives after the lane was given to the next push finds a higher one. No more pushes are under way at
 * once than there are lanes.
 *
 * <p>A lane with a number that only another client can have written means that this process was cloned and two clients
 * share an id. Nothing was stored then, so this client takes another id and pushes again.
 */
@Internal
public final class JobPushes {

    private static final int LANES = 128;
    private static final byte[] REMEMBERED_MILLIS =
            Bytes.of(Duration.ofMinutes(10).toMillis());
    private static final int FIXED_ARGUMENTS = 4;
    private static final int ID_BYTES = 16;
    private static final int JID_BYTES = 12;

    /** How often a push renews what Redis stores about this client's pushes, in nanoseconds. */
    private static final long RENEWAL = Duration.ofSeconds(1).toNanos();

    private static final byte[] UNKNOWN = {};

    /** How often one call may find that another client has its id: each time means another clone. */
    private static final int MOST_IDS = 3;

    /** A larger push may take long on the wire and gets the whole timeout for one attempt. */
    private static final int SMALL_BYTES = 65_536;

    /** The scripts' answer if another push has used the lane. */
    private static final Long ANOTHERS = -1L;

    /** A payload and when it is due, in epoch seconds as text. */
    public record Due(String at, byte[] payload) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Duration timeout;
    /** Free ones. The last one used is used next: few lanes make a small hash, which Redis searches faster. */
    private final BlockingDeque<Integer> lanes = new LinkedBlockingDeque<>(LANES);

    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong renewed = new AtomicLong(System.nanoTime());

    /** What each lane holds, as far as known: for the push that has the lane. */
    private final byte[][] contents = new byte[LANES][];

    private volatile byte[] pushes;

    /** Creates pushes with a unique client id. */
    public JobPushes(RedisConnection connection, RedisKeys keys, Duration timeout) {
        this(connection, keys, timeout, newId());
    }

    /** @param client the first id */
    JobPushes(RedisConnection connection, RedisKeys keys, Duration timeout, String client) {
        this.connection = connection;
        this.keys = keys;
        this.timeout = timeout;
        this.pushes = keys.pushes(client);
        for (int lane = 0; lane < LANES; lane++) {
            lanes.addLast(lane);
            contents[lane] = UNKNOWN;
        }
    }

    /** Reads the script of most pushes, so that the first one need not. */
    public static void prepare() {
        StoreScripts.PUSH.digest();
    }

    /** A new random jid: 24 hexadecimal digits, as Sidekiq's. */
    public static String newJid(RandomGenerator random) {
        byte[] bytes = new byte[JID_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Uses a new generator: one created before this process was cloned might return the same id in the clone. */
    private static String newId() {
        byte[] id = new byte[ID_BYTES];
        new SecureRandom().nextBytes(id);
        return HexFormat.of().formatHex(id);
    }

    /**
     * Switches to an id that no other client has, as after this process was cloned. Pushes already sent keep the old
     * one.
     */
    public void renewId() {
        renewId(pushes);
    }

    private synchronized void renewId(byte[] shared) {
        if (pushes == shared) { // else another thread was faster
            pushes = keys.pushes(newId());
        }
    }

    /**
     * A push that was sent. It must be awaited, and given up if it failed and is not repeated. For one thread at a
     * time.
     */
    public interface Sent {

        /** Waits until it is stored, except for what checks refuse, and sends it again if necessary. */
        PushAnswers await();

        /**
         * Goes on after {@link #await} or this method failed: sends it again under its number, so that it is stored
         * once even if an earlier attempt took effect.
         */
        PushAnswers repeat(Duration atMost);

        /** After {@link #await} failed: whether the jobs may have been stored, or some of them are. */
        boolean mayBeStored();

        /** After {@link #await} failed: what is known of one payload, by its index. */
        default State state(int index) {
            return mayBeStored() ? State.UNKNOWN : State.NOT_STORED;
        }

        /** Listeners know now what is stored. In memory, for tests, jobs run then, and what they throw is thrown. */
        default void told() {}

        /** Ends a push that failed. Does nothing after one that succeeded. */
        void giveUp();
    }

    /**
     * Puts at most 1,000 payloads into one queue, without waiting for it; the first is taken first.
     *
     * @param checks those of each payload; may be empty if there are none
     */
    public Sent sendPush(String queue, List<byte[]> payloads, List<List<Check>> checks) {
        SortedQueue sorted = keys.sortedForNew(queue);
        List<byte[]> tail = new ArrayList<>(payloads.size() + 1);
        tail.add(Bytes.of(queue));
        tail.addAll(sorted == null ? payloads : sorted.ranked(payloads));
        if (sorted != null) {
            List<byte[]> fixedKeys = List.of(keys.queues(), sorted.set(), sorted.tags());
            return send(StoreScripts.PUSH_SORTED, fixedKeys, tail, payloads.size(), checks);
        }
        return send(StoreScripts.PUSH, List.of(keys.queues(), keys.queue(queue)), tail, payloads.size(), checks);
    }

    /**
     * Puts at most 1,000 payloads into the scheduled set, without waiting for it.
     *
     * @param checks those of each payload; may be empty if there are none
     */
    public Sent sendSchedule(List<Due> jobs, List<List<Check>> checks) {
        List<byte[]> tail = new ArrayList<>(2 * jobs.size());
        for (Due job : jobs) {
            tail.add(Bytes.of(job.at()));
            tail.add(job.payload());
        }
        return send(StoreScripts.SCHEDULE, List.of(keys.schedule()), tail, jobs.size(), checks);
    }

    private Sent send(LuaScript script, List<byte[]> fixedKeys, List<byte[]> tail, int jobs, List<List<Check>> checks) {
        List<byte[]> otherKeys = new ArrayList<>(fixedKeys);
        Check.append(checks, otherKeys, tail);
        Integer lane = takeLane();
        try {
            return new Push(script, otherKeys, tail, jobs, lane);
        } catch (Throwable e) {
            lanes.addFirst(lane);
            throw e;
        }
    }

    /** The content of one call, sent under one number at a time. */
    private final class Push implements Sent {

        private final LuaScript script;
        private final byte[][] scriptKeys;
        private final byte[][] arguments;
        private final int jobs;
        private final long mark;
        private final boolean small;
        private final CompletionStage<List<Object>> first;
        private final AtomicBoolean uncertain = new AtomicBoolean();
        private @Nullable Integer lane;

        Push(LuaScript script, List<byte[]> otherKeys, List<byte[]> tail, int jobs, Integer lane) {
            this.script = script;
            this.jobs = jobs;
            this.lane = lane;
            scriptKeys = new byte[otherKeys.size() + 1][];
            for (int i = 0; i < otherKeys.size(); i++) {
                scriptKeys[i + 1] = otherKeys.get(i);
            }
            arguments = new byte[tail.size() + FIXED_ARGUMENTS][];
            arguments[0] = Bytes.of(lane);
            arguments[2] = REMEMBERED_MILLIS;
            arguments[3] = isRenewalDue() ? UNKNOWN : contents[lane];
            contents[lane] = UNKNOWN; // until it is answered
            CRC32C checksum = new CRC32C();
            long size = 0;
            for (int i = 0; i < tail.size(); i++) {
                byte[] each = tail.get(i);
                arguments[FIXED_ARGUMENTS + i] = each;
                checksum.update(each, 0, each.length);
                size += each.length;
            }
            mark = checksum.getValue();
            small = size <= SMALL_BYTES;
            number();
            first = connection.callAsync(script, scriptKeys, arguments);
        }

        private void number() {
            scriptKeys[0] = pushes;
            arguments[1] = Bytes.of(numbers.incrementAndGet() + ":" + Long.toHexString(mark));
        }

        @Override
        public PushAnswers await() {
            return completed(this::firstAnswer, timeout);
        }

        @Override
        public PushAnswers repeat(Duration atMost) {
            return completed(this::again, atMost);
        }

        @Override
        public boolean mayBeStored() {
            return uncertain.get();
        }

        @Override
        public void giveUp() {
            Integer held = lane;
            lane = null;
            if (held != null) {
                lanes.addFirst(held);
            }
        }

        private PushAnswers completed(LongFunction<List<Object>> attempt, Duration atMost) {
            if (lane == null) {
                throw new IllegalStateException("This push has ended");
            }
            try {
                List<Object> answer = underOwnId(attempt, System.nanoTime() + atMost.toNanos());
                if (answer.size() == 1) { // else the lane holds the answers of checks as well
                    contents[lane] = arguments[1];
                }
                PushAnswers answers = PushAnswers.of(answer);
                giveUp();
                return answers;
            } catch (JobStoreException e) {
                throw failed(e, jobs, uncertain.get());
            }
        }

        private List<Object> underOwnId(LongFunction<List<Object>> attempt, long deadline) {
            List<Object> answer = attempt.apply(deadline);
            for (int ids = 1; answer.get(0).equals(ANOTHERS); ids++) {
                renewId(scriptKeys[0]);
                if (uncertain.get() || ids > MOST_IDS) {
                    // The lane's present content doesn't show whether our push was stored in between.
                    throw new JobStoreException(
                            JobStoreException.Kind.OTHER,
                            "Another client pushes under the id of this one, as after its process was cloned",
                            null);
                }
                number();
                answer = again(deadline);
            }
            return answer;
        }

        /**
         * The connection may have just died. So a small push waits for half of the timeout and is then repeated once
         * over another connection.
         */
        private List<Object> firstAnswer(long deadline) {
            Duration whole = connection.timeout();
            try {
                return connection.await(first, small ? whole.dividedBy(2) : whole);
            } catch (JobStoreException e) {
                uncertain.set(RedisErrors.mayHaveRun(e));
                boolean unanswered = e.kind() == JobStoreException.Kind.TIMEOUT
                        && !Thread.currentThread().isInterrupted()
                        && System.nanoTime() - deadline < 0;
                if (!unanswered) {
                    if (RedisErrors.isWorthRepeating(e)) {
                        return again(deadline);
                    }
                    throw e;
                }
                try {
                    return again(deadline);
                } catch (JobStoreException again) {
                    throw again.kind() == JobStoreException.Kind.UNREACHABLE ? e : again;
                }
            }
        }

        private List<Object> again(long deadline) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            return new PersistentCall(script, ScriptOutputType.MULTI, scriptKeys, arguments)
                    .<List<Object>>over(connection, left, uncertain);
        }
    }

    private static JobStoreException failed(JobStoreException e, int jobs, boolean uncertain) {
        String which = jobs == 1 ? "the job " : "the " + jobs + " jobs ";
        String stored =
                uncertain ? "may have been stored all the same" : jobs == 1 ? "was not stored" : "were not stored";
        return new JobStoreException(e.kind(), e.getMessage() + "; " + which + stored, e.getCause(), uncertain);
    }

    private boolean isRenewalDue() {
        long last = renewed.get();
        long now = System.nanoTime();
        return now - last >= RENEWAL && renewed.compareAndSet(last, now);
    }

    private Integer takeLane() {
        Integer lane = lanes.poll();
        try {
            lane = lane != null ? lane : lanes.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStoreException(
                    JobStoreException.Kind.TIMEOUT,
                    "Interrupted while waiting for earlier pushes; nothing was stored",
                    e,
                    false);
        }
        if (lane != null) {
            return lane;
        }
        throw new JobStoreException(
                JobStoreException.Kind.TIMEOUT,
                LANES + " pushes are waiting for Redis already; nothing was stored",
                null,
                false);
    }
}
