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
 * Watches the server: whether the doorbell still works, whether data may be evicted, and whether keys of the wrong type
 * are repaired.
 */
final class ServerWatch {

    private static final Logger log = LoggerFactory.getLogger(ServerWatch.class);

    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration INTERVAL_SHORT = Duration.ofSeconds(1);
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
    private long nextPolicyCheck;
    private boolean everHeard;
    private boolean logged;
    private int deafChecks;

    private volatile @Nullable String evictionPolicy;

    /**
     * @param isBroken asks Redis whether a key holds a wrong type
     * @param rings called when the doorbell works again: its rings until then are lost
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
        this.nextPolicyCheck = context.nanos();
    }

    /**
     * Checks the server, if that is due or the doorbell has to ring for other keys than before. Returns how long until
     * the next check.
     */
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
        deafChecks = hears || !doorbell.isConnected() ? 0 : deafChecks + 1;
        // One failure may come from an outage that no other part has noticed yet.
        if (deafChecks > 1 && !everHeard && context.outage().error() == null && !logged) {
            logged = true;
            log.info(
                    "This Redis, or a proxy before it, sends no notifications of key changes; idle workers poll for jobs five times a second instead");
        }
        checkEvictionPolicy();
        boolean again = checkBrokenKeys();
        Duration pause = hears && !again ? INTERVAL : INTERVAL_SHORT;
        nextCheck = context.nanos() + pause.toNanos();
        return pause;
    }

    /** Returns whether to check again soon. */
    private boolean checkBrokenKeys() {
        try {
            return context.brokenKeys().check(isBroken);
        } catch (JobStoreException e) {
            log.debug("Could not check keys of the wrong type", e);
            return false;
        }
    }

    private void checkEvictionPolicy() {
        if (context.nanos() - nextPolicyCheck < 0) {
            return;
        }
        try {
            String policy = policy(connection.serverInfo());
            if (policy != null && !policy.equals("noeviction") && !policy.equals(evictionPolicy)) {
                log.warn(
                        "This Redis has the maxmemory-policy '{}', so it may delete jobs when it is full. Set it to noeviction, and "
                                + "use a Redis for jobs that is not a cache",
                        policy);
            }
            if (policy != null
                    && policy.equals("noeviction")
                    && evictionPolicy != null
                    && !policy.equals(evictionPolicy)) {
                log.info("This Redis has the maxmemory-policy 'noeviction' now, so it deletes no jobs");
            }
            evictionPolicy = policy;
            nextPolicyCheck = context.nanos() + POLICY_INTERVAL.toNanos();
        } catch (JobStoreException e) {
            log.debug("Could not check the eviction policy", e); // an outage is noticed by other parts
        }
    }

    private static @Nullable String policy(String info) {
        return info.lines()
                .filter(line -> line.startsWith(POLICY))
                .map(line -> line.substring(POLICY.length()).strip())
                .findFirst()
                .orElse(null);
    }

    /** The server's {@code maxmemory-policy}, or null while it is unknown. */
    @Nullable String evictionPolicy() {
        return evictionPolicy;
    }
}
