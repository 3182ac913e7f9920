package dev.jobs.limits;

import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.ZAddArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks through all keys with parked jobs, in case something removed a permit or a job, and through all starts by
 * rates. There may be a million keys, so a pass is made in steps, between which due jobs are promoted, and a pass that
 * took long is followed by a long pause. Confined to one thread.
 */
final class LimitsSweep {

    /** The member of {@code jobs:wake} that stands for all keys. */
    static final String ALL = "";

    /** How often a pass begins, unless the last one took long. */
    private static final Duration EACH = Duration.ofMinutes(1);

    /** How many times as long as a pass the pause after it is. */
    private static final int PAUSES = 10;

    /** How many keys one call looks at. */
    private static final int KEYS_TOGETHER = 200;

    /** How many calls the sweep of rates makes in a pass at least. */
    private static final int LEAST_RATES = 20;

    /** In how many passes all starts by rates are looked at, however many there are. */
    private static final int RATE_PASSES = 3;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimitKeys limitKeys;
    private final LongSupplier nanoTime;
    private final FewCalls fewCalls;

    /** When the next pass is due, by the server's clock. Another process that makes it due earlier asks for a pass. */
    private long dueSeconds = Long.MAX_VALUE;

    private boolean underWay;
    private boolean again;

    /** Whether somebody asked for the pass. */
    private boolean wanted;

    private long begunNanos;

    /** No pass begins before, unless somebody asks for one; null for no bound. */
    private @Nullable Long notBefore;

    private List<String> names = List.of();
    private final Deque<String> left = new ArrayDeque<>();
    private byte @Nullable [] last;

    /** Where the sweep of rates goes on. */
    private String rates = "0";

    /** How many calls the sweep of rates makes in a pass, and how many of them are left. */
    private int ratesEachPass;

    private int ratesLeft;

    LimitsSweep(RedisConnection connection, RedisKeys keys, LongSupplier nanoTime) {
        this.connection = connection;
        this.keys = keys;
        this.limitKeys = new LimitKeys(keys);
        this.nanoTime = nanoTime;
        this.fewCalls = new FewCalls(nanoTime);
    }

    /**
     * A look at all keys is due, since the last one or because somebody asks for it: a limit was raised, or a queue
     * resumed.
     *
     * @param limits the names of all limits
     */
    void due(List<String> limits, Instant serverTime) {
        if (limits.isEmpty()) {
            connection.run(commands -> commands.zrem(limitKeys.wake(), Bytes.of(ALL)));
            return;
        }
        boolean asked = serverTime.getEpochSecond() < dueSeconds;
        dueSeconds = serverTime.plus(EACH).getEpochSecond();
        // First: if this process dies half way, another one begins again.
        connection.run(commands -> commands.zadd(limitKeys.wake(), new ZAddArgs(), (double) dueSeconds, Bytes.of(ALL)));
        names = limits;
        if (underWay) {
            again |= asked;
        } else if (asked || notBefore == null || nanoTime.getAsLong() - notBefore >= 0) {
            begin(asked);
        }
    }

    private void begin(boolean asked) {
        underWay = true;
        wanted = asked;
        again = false;
        begunNanos = nanoTime.getAsLong();
        List<String> limits = names;
        List<Long> parked = ParkedJobs.sizes(connection, limitKeys, limits);
        left.clear();
        last = null;
        for (int i = 0; i < limits.size(); i++) {
            if (parked.get(i) > 0 || QueueLimit.queueOf(limits.get(i)) != null) {
                left.add(limits.get(i));
            }
        }
        beginRates();
    }

    /** New ones may come faster than a part of a fixed size is removed, so the parts grow with their number. */
    private void beginRates() {
        long keysNow = connection.run(commands -> Replies.unlessWrongType(commands.hlen(limitKeys.rates()), 0L));
        int needed = (int) (keysNow / KEYS_TOGETHER / RATE_PASSES) + 1;
        // What was removed since a pass began has left its room behind.
        ratesEachPass = Math.max(needed, rates.equals("0") ? LEAST_RATES : ratesEachPass);
        ratesLeft = ratesEachPass;
    }

    /** Makes some calls. Returns whether others are left for now. */
    boolean goOn() {
        fewCalls.make(() -> {
            boolean goesOn = underWay;
            if (goesOn) {
                step();
            }
            return goesOn;
        });
        return underWay;
    }

    private void step() {
        if (!left.isEmpty()) {
            sweepSome(left.element());
        } else if (ratesLeft > 0) {
            sweepRates();
        } else {
            end();
        }
    }

    private void end() {
        underWay = false;
        if (again) {
            begin(true);
        } else {
            long now = nanoTime.getAsLong();
            notBefore = now + PAUSES * (now - begunNanos);
        }
    }

    private void sweepSome(String limit) {
        List<byte[]> all = new ArrayList<>(List.of(
                limitKeys.permits(limit),
                limitKeys.parked(limit),
                limitKeys.limits(),
                limitKeys.wake(),
                keys.beats(),
                limitKeys.rates()));
        String queue = QueueLimit.queueOf(limit);
        if (queue != null) {
            all.add(limitKeys.bell(queue));
        }
        byte[] after = last;
        List<Object> answer = connection.call(LimitScripts.LIMITS_SWEEP, all.toArray(byte[][]::new), new byte[][] {
            Bytes.of(limit),
            Bytes.of(after == null ? 1 : 0),
            after == null ? new byte[0] : after,
            Bytes.of(KEYS_TOGETHER),
            Bytes.of(wanted ? 1 : 0)
        });
        if (Bytes.number(answer.get(0)) == 1) {
            left.remove();
            last = null;
        } else {
            last = (byte[]) answer.get(1);
        }
    }

    private void sweepRates() {
        byte[] next = connection.callForOne(
                LimitScripts.RATES_SWEEP,
                ScriptOutputType.VALUE,
                new byte[][] {limitKeys.rates(), limitKeys.limits()},
                new byte[][] {Bytes.of(rates), Bytes.of(KEYS_TOGETHER)});
        rates = Bytes.text(next);
        ratesLeft = rates.equals("0") ? 0 : ratesLeft - 1;
    }
}
