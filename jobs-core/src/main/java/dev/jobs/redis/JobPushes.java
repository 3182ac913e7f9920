package dev.jobs.redis;

import dev.jobs.JobStoreException;
import io.lettuce.core.ScriptOutputType;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * Puts payloads into queues and into the scheduled set, each call once, however often it had to be repeated. Thread-safe.
 *
 * <p>A push takes a slot, and leaves its number there when it is executed. A repeated push finds its own number, and a copy of it that
 * comes after the slot was given to the next push finds a higher one. There are only so many slots, so only so many pushes at once.
 *
 * <p>A slot that holds what only another client can have left there means that this process was cloned, and two clients have one id.
 * Nothing was stored then, so this one takes another id and pushes again.
 */
public final class JobPushes {

    private static final int SLOTS = 128;
    private static final Duration REMEMBERED = Duration.ofMinutes(10);
    private static final int ID_BYTES = 16;

    /** What one call may meet of others under its id: each of them means a new clone. */
    private static final int MOST_IDS = 3;

    /** A push that is larger may take its time on the way, and gets the whole of it in one try. */
    private static final int SMALL_BYTES = 65_536;

    /** What the scripts answer when another push has had the slot since. */
    private static final long ANOTHERS = -1;

    /** A payload and when it is due, in epoch seconds as text. */
    public record Due(String at, byte[] payload) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Duration timeout;
    private final BlockingQueue<Integer> slots = new ArrayBlockingQueue<>(SLOTS);
    private final AtomicLong numbers = new AtomicLong();
    private volatile byte[] pushes;

    /** Pushes of a client under an id that no other ever has. */
    public JobPushes(RedisConnection connection, RedisKeys keys, Duration timeout) {
        this(connection, keys, timeout, newId());
    }

    /** @param client the id to begin with */
    JobPushes(RedisConnection connection, RedisKeys keys, Duration timeout, String client) {
        this.connection = connection;
        this.keys = keys;
        this.timeout = timeout;
        this.pushes = keys.pushes(client);
        for (int slot = 0; slot < SLOTS; slot++) {
            slots.add(slot);
        }
    }

    /** From a generator that is made here: one that was there before this process was cloned may give its clone the same. */
    private static String newId() {
        byte[] id = new byte[ID_BYTES];
        new SecureRandom().nextBytes(id);
        return HexFormat.of().formatHex(id);
    }

    /** Goes on under an id that no other client has, as after this process was cloned. What is under way stays under the old one. */
    public void renewId() {
        renewId(pushes);
    }

    private synchronized void renewId(byte[] shared) {
        if (pushes == shared) { // else somebody else was quicker
            pushes = keys.pushes(newId());
        }
    }

    /** A push that was sent. To be waited for once, in any case. */
    @FunctionalInterface
    public interface Sent {

        /** Waits until it is stored, and sends it again if need be. */
        void await();
    }

    /** Puts payloads into one queue; the first is taken first. At most a thousand. */
    public void push(String queue, List<byte[]> payloads) {
        sendPush(queue, payloads).await();
    }

    /** Puts payloads into the scheduled set. At most a thousand. */
    public void schedule(List<Due> jobs) {
        sendSchedule(jobs).await();
    }

    /** As {@link #push}, without waiting. */
    public Sent sendPush(String queue, List<byte[]> payloads) {
        List<byte[]> tail = new ArrayList<>(payloads.size() + 1);
        tail.add(Bytes.of(queue));
        tail.addAll(payloads);
        return send(LuaScript.PUSH, new byte[][] {keys.queues(), keys.queue(queue)}, tail, payloads.size());
    }

    /** As {@link #schedule}, without waiting. */
    public Sent sendSchedule(List<Due> jobs) {
        List<byte[]> tail = new ArrayList<>(2 * jobs.size());
        for (Due job : jobs) {
            tail.add(Bytes.of(job.at()));
            tail.add(job.payload());
        }
        return send(LuaScript.SCHEDULE, new byte[][] {keys.schedule()}, tail, jobs.size());
    }

    private Sent send(LuaScript script, byte[][] otherKeys, List<byte[]> tail, int jobs) {
        Integer slot = takeSlot();
        try {
            Push push = new Push(script, otherKeys, slot, tail);
            CompletionStage<Long> first = push.begin();
            return () -> {
                AtomicBoolean uncertain = new AtomicBoolean();
                try {
                    push.await(first, uncertain);
                } catch (JobStoreException e) {
                    throw failed(e, jobs, uncertain.get());
                } finally {
                    slots.add(slot);
                }
            };
        } catch (Throwable e) {
            slots.add(slot);
            throw e;
        }
    }

    /** What one call sends, under one number at a time. */
    private final class Push {

        private final LuaScript script;
        private final byte[][] scriptKeys;
        private final byte[][] arguments;
        private final long mark;
        private final boolean small;

        Push(LuaScript script, byte[][] otherKeys, int slot, List<byte[]> tail) {
            this.script = script;
            scriptKeys = new byte[otherKeys.length + 1][];
            System.arraycopy(otherKeys, 0, scriptKeys, 1, otherKeys.length);
            arguments = new byte[tail.size() + 3][];
            arguments[0] = Bytes.of(slot);
            arguments[2] = Bytes.of(REMEMBERED.toMillis());
            CRC32C checksum = new CRC32C();
            long size = 0;
            for (int i = 0; i < tail.size(); i++) {
                byte[] each = tail.get(i);
                arguments[3 + i] = each;
                checksum.update(each, 0, each.length);
                size += each.length;
            }
            mark = checksum.getValue();
            small = size <= SMALL_BYTES;
            number();
        }

        private void number() {
            scriptKeys[0] = pushes;
            arguments[1] = Bytes.of(numbers.incrementAndGet() + ":" + Long.toHexString(mark));
        }

        CompletionStage<Long> begin() {
            return connection.callForOneAsync(script, ScriptOutputType.INTEGER, scriptKeys, arguments);
        }

        void await(CompletionStage<Long> first, AtomicBoolean uncertain) {
            long deadline = System.nanoTime() + connection.timeout().toNanos();
            long answer = firstAnswer(first, deadline, uncertain);
            for (int ids = 1; answer == ANOTHERS; ids++) {
                renewId(scriptKeys[0]);
                if (uncertain.get() || ids > MOST_IDS) {
                    // What is in the slot now says nothing about what was there in between.
                    throw new JobStoreException(
                            JobStoreException.Kind.OTHER,
                            "Another client pushes under the id of this one, as after its process was cloned",
                            null);
                }
                number();
                answer = repeat(deadline, uncertain);
            }
        }

        /**
         * A line may have gone dead a moment ago. So a small push waits for half of its time and is then repeated over another one, once.
         */
        private long firstAnswer(CompletionStage<Long> first, long deadline, AtomicBoolean uncertain) {
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
                        return repeat(deadline, uncertain);
                    }
                    throw e;
                }
                try {
                    return repeat(deadline, uncertain);
                } catch (JobStoreException again) {
                    throw again.kind() == JobStoreException.Kind.UNREACHABLE ? e : again;
                }
            }
        }

        private long repeat(long deadline, AtomicBoolean uncertain) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            return connection.<Long>callPersistently(
                    script, ScriptOutputType.INTEGER, scriptKeys, arguments, left, uncertain);
        }
    }

    private static JobStoreException failed(JobStoreException e, int jobs, boolean uncertain) {
        String which = jobs == 1 ? "the job " : "the " + jobs + " jobs ";
        String stored =
                uncertain ? "may have been stored all the same" : jobs == 1 ? "was not stored" : "were not stored";
        return new JobStoreException(e.kind(), e.getMessage() + "; " + which + stored, e.getCause());
    }

    private Integer takeSlot() {
        Integer slot = slots.poll();
        try {
            slot = slot != null ? slot : slots.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStoreException(
                    JobStoreException.Kind.TIMEOUT,
                    "Interrupted while waiting for earlier pushes; nothing was stored",
                    e);
        }
        if (slot != null) {
            return slot;
        }
        throw new JobStoreException(
                JobStoreException.Kind.TIMEOUT,
                SLOTS + " pushes are waiting for Redis already; nothing was stored",
                null);
    }
}
