package dev.jobs.redis;

import dev.jobs.JobStoreException;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Puts payloads into queues and into the scheduled set, each call once, however often it had to be repeated. Thread-safe.
 *
 * <p>A push takes a slot, and leaves its number there when it is executed. A repeated push finds its own number, and a copy of it that
 * comes after the slot was given to the next push finds a higher one. There are only so many slots, so only so many pushes at once.
 */
public final class Pushes {

    private static final int SLOTS = 128;
    private static final Duration REMEMBERED = Duration.ofMinutes(10);

    /** A payload and when it is due, in epoch seconds as text. */
    public record Due(String at, byte[] payload) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Duration timeout;
    private final byte[] pushes;
    private final BlockingQueue<Integer> slots = new ArrayBlockingQueue<>(SLOTS);
    private final AtomicLong numbers = new AtomicLong();

    /** @param client an id that no other client ever has */
    public Pushes(RedisConnection connection, RedisKeys keys, Duration timeout, String client) {
        this.connection = connection;
        this.keys = keys;
        this.timeout = timeout;
        this.pushes = keys.pushes(client);
        for (int slot = 0; slot < SLOTS; slot++) {
            slots.add(slot);
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
        return send(LuaScript.PUSH, new byte[][] {pushes, keys.queues(), keys.queue(queue)}, tail, payloads.size());
    }

    /** As {@link #schedule}, without waiting. */
    public Sent sendSchedule(List<Due> jobs) {
        List<byte[]> tail = new ArrayList<>(2 * jobs.size());
        for (Due job : jobs) {
            tail.add(Bytes.of(job.at()));
            tail.add(job.payload());
        }
        return send(LuaScript.SCHEDULE, new byte[][] {pushes, keys.schedule()}, tail, jobs.size());
    }

    private Sent send(LuaScript script, byte[][] scriptKeys, List<byte[]> tail, int jobs) {
        Integer slot = takeSlot();
        byte[][] arguments = new byte[tail.size() + 3][];
        arguments[0] = Bytes.of(slot);
        arguments[1] = Bytes.of(numbers.incrementAndGet());
        arguments[2] = Bytes.of(REMEMBERED.toMillis());
        for (int i = 0; i < tail.size(); i++) {
            arguments[3 + i] = tail.get(i);
        }
        CompletionStage<Long> first =
                connection.callForOneAsync(script, ScriptOutputType.INTEGER, scriptKeys, arguments);
        return () -> {
            AtomicBoolean uncertain = new AtomicBoolean();
            try {
                await(first, script, scriptKeys, arguments, uncertain);
            } catch (JobStoreException e) {
                throw failed(e, jobs, uncertain.get());
            } finally {
                slots.add(slot);
            }
        };
    }

    private void await(
            CompletionStage<Long> first,
            LuaScript script,
            byte[][] scriptKeys,
            byte[][] arguments,
            AtomicBoolean uncertain) {
        try {
            connection.await(first);
        } catch (JobStoreException e) {
            uncertain.set(RedisErrors.mayHaveRun(e));
            if (!RedisErrors.isWorthRepeating(e)) {
                throw e;
            }
            connection.<Long>callPersistently(script, ScriptOutputType.INTEGER, scriptKeys, arguments, uncertain);
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
