package dev.jobs.engine;

import dev.jobs.JobStoreException;
import dev.jobs.engine.BrokenKeys.Key;
import dev.jobs.redis.Doorbell;
import dev.jobs.redis.RedisConnection;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the server: whether the doorbell still works, whether data may be evicted, and whether keys of the wrong type are mended.
 */
final class ServerWatch {

    private static final Logger log = LoggerFactory.getLogger(ServerWatch.class);

    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration INTERVAL_DEAF = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final Duration POLICY_INTERVAL = Duration.ofMinutes(1);
    private static final String POLICY = "maxmemory_policy:";

    private final Doorbell doorbell;
    private final RedisConnection connection;
    private final RunContext context;
    private final Predicate<Key> isBroken;
    private final Runnable rings;

    // Confined to its thread.
    private long nextCheck;
    private long nextPolicyLook;
    private boolean everHeard;
    private boolean told;
    private int deafLooks;

    private volatile @Nullable String evictionPolicy;

    /**
     * @param isBroken asks Redis whether a key holds another type than it should
     * @param rings called when the doorbell is heard again: what rang meanwhile is lost
     */
    ServerWatch(
            Doorbell doorbell,
            RedisConnection connection,
            RunContext context,
            Predicate<Key> isBroken,
            Runnable rings) {
        this.doorbell = doorbell;
        this.connection = connection;
        this.context = context;
        this.isBroken = isBroken;
        this.rings = rings;
        this.nextCheck = context.nanos();
        this.nextPolicyLook = context.nanos();
    }

    /** One look, if it is time for one or something else is to ring than before. Returns when the next one is due. */
    Duration runOnce() {
        boolean before = context.hearsRings().get();
        long left = nextCheck - context.nanos();
        if (left > 0 && !(before && doorbell.isOutdated())) {
            return Duration.ofNanos(left);
        }
        boolean hears = doorbell.check(PATIENCE);
        context.hearsRings().set(hears);
        everHeard |= hears;
        if (hears && !before) {
            rings.run();
        }
        deafLooks = hears ? 0 : deafLooks + 1;
        // One may be deaf because Redis went away at that moment, which others have yet to find out.
        if (deafLooks > 1 && !everHeard && context.outage().error() == null && !told) {
            told = true;
            log.info(
                    "This Redis, or a proxy before it, doesn't tell of key changes; idle workers look for jobs five times a second instead");
        }
        lookAtEvictionPolicy();
        lookAtBrokenKeys();
        Duration pause = hears ? INTERVAL : INTERVAL_DEAF;
        nextCheck = context.nanos() + pause.toNanos();
        return pause;
    }

    private void lookAtBrokenKeys() {
        try {
            context.brokenKeys().look(isBroken);
        } catch (JobStoreException e) {
            log.debug("Could not look at keys of the wrong type", e);
        }
    }

    private void lookAtEvictionPolicy() {
        if (context.nanos() - nextPolicyLook < 0) {
            return;
        }
        try {
            String policy = policy(connection.serverInfo());
            if (policy != null && !policy.equals("noeviction") && !policy.equals(evictionPolicy)) {
                log.warn(
                        "This Redis has the maxmemory-policy '{}', so it may throw away jobs when it is full. Set it to noeviction, and "
                                + "give jobs a Redis that is no cache",
                        policy);
            }
            if (policy != null
                    && policy.equals("noeviction")
                    && evictionPolicy != null
                    && !policy.equals(evictionPolicy)) {
                log.info("This Redis has the maxmemory-policy 'noeviction' now, and throws away no jobs");
            }
            evictionPolicy = policy;
            nextPolicyLook = context.nanos() + POLICY_INTERVAL.toNanos();
        } catch (JobStoreException e) {
            log.debug(
                    "Could not look at the eviction policy",
                    e); // the outage, if it is one, is noticed by those who work
        }
    }

    private static @Nullable String policy(String info) {
        return info.lines()
                .filter(line -> line.startsWith(POLICY))
                .map(line -> line.substring(POLICY.length()).strip())
                .findFirst()
                .orElse(null);
    }

    /** The server's {@code maxmemory-policy}, or null as long as it is unknown. */
    @Nullable String evictionPolicy() {
        return evictionPolicy;
    }
}
