package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Incarnation;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back permits of concurrent limiters that Redis has for this process and no thread of it holds: a failover that
 * lost that they were given back has brought them back. Only the process itself can tell: a job's thread may be in a
 * block although the job was settled, and out of it although the job goes on. A failover breaks the connection, so each
 * new one is followed by a look at the limiters of which jobs took permits lately, in small steps. Confined to one
 * thread.
 */
@Internal
public final class StrayPermits {

    private static final Logger log = LoggerFactory.getLogger(StrayPermits.class);

    /** What reports of an outage call it. */
    private static final String DUTY = "limiters";

    private static final Duration EACH = Duration.ofSeconds(5);

    /** Between the runs of one look: an application may use as many limiters as it has customers. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** A failover brings back only what was given back just before. It may take minutes. */
    private static final Duration LATELY = Duration.ofMinutes(10);

    /** How many calls one run makes at most. */
    private static final int STEPS = 20;

    /** How many permits one step looks at. */
    private static final int TOGETHER = 100;

    private final RedisConnection connection;
    private final LimiterKeys names;
    private final CurrentDelivery current;
    private final RunContext context;
    private final Deque<String> limiters = new ArrayDeque<>();
    private @Nullable Incarnation incarnation;

    /** The one over which it looked last. */
    private @Nullable StatefulRedisConnection<byte[], byte[]> known;

    /** The last permit that was looked at; null for the first step of a limiter. */
    private byte @Nullable [] last;

    public StrayPermits(RedisConnection connection, RedisKeys keys, CurrentDelivery current, RunContext context) {
        this.connection = connection;
        this.names = new LimiterKeys(keys);
        this.current = current;
        this.context = context;
    }

    /** Does what is due. Returns how long until the next run. */
    public Duration runOnce() {
        try {
            boolean more = walk();
            context.outage().worked(DUTY);
            return more ? PAUSE : EACH;
        } catch (JobStoreException e) {
            context.outage().failed(DUTY, e);
            return EACH;
        }
    }

    /** Returns whether there may be more. */
    private boolean walk() {
        current.forget(context.nanos() - LATELY.toNanos());
        StatefulRedisConnection<byte[], byte[]> now = connection.connection();
        Incarnation own = context.lease().current();
        if (now != known) {
            known = now;
            incarnation = own;
            last = null;
            limiters.clear();
            limiters.addAll(current.used());
        } else if (own != incarnation) {
            limiters.clear(); // permits of an identity that was given up are void, or another process's
        }
        long strays = 0;
        for (int step = 0; step < STEPS && !limiters.isEmpty(); step++) {
            strays += step(limiters.element(), own.id());
        }
        if (strays > 0) {
            log.warn("Gave back {} permits of limiters that no thread of {} holds", strays, own.id());
        }
        return !limiters.isEmpty();
    }

    /** Looks at some permits of a limiter. Returns how many it gave back. */
    private long step(String limiter, String identity) {
        byte[] key = names.permits(limiter);
        byte[] from = last;
        Range<byte[]> own = Range.from(
                from == null ? Range.Boundary.including(Bytes.of(identity + "\n")) : Range.Boundary.excluding(from),
                Range.Boundary.excluding(Bytes.of(identity + "\u000b")));
        List<byte[]> some = Replies.<List<byte[]>>unlessWrongType(
                        () -> connection.run(commands -> commands.zrangebylex(key, own, Limit.create(0, TOGETHER))))
                .orElse(List.of());
        // Only now: a permit is known here before it is taken. One that is given back meanwhile is gone from Redis.
        Set<String> held = some.isEmpty() ? Set.of() : current.permits();
        byte[][] strays =
                some.stream().filter(each -> !held.contains(Bytes.text(each))).toArray(byte[][]::new);
        // Names are drawn, so nobody takes one again.
        long removed = strays.length == 0 ? 0 : connection.run(commands -> commands.zrem(key, strays));
        if (some.size() < TOGETHER) {
            limiters.remove();
            last = null;
        } else {
            last = some.get(some.size() - 1);
        }
        return removed;
    }
}
