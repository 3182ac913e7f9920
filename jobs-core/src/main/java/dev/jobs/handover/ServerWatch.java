package dev.jobs.handover;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.RunContext;
import dev.jobs.lists.BrokenKeys.Key;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.SecurityReleases;
import dev.jobs.redis.ServerFacts;
import dev.jobs.redis.ServerSupport;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the server: whether the doorbell still works, whether jobs can run on such a server, whether it lacks
 * security fixes, whether data may be evicted, and whether keys of the wrong type are repaired.
 */
@Internal
public final class ServerWatch {

    private static final Logger log = LoggerFactory.getLogger(ServerWatch.class);
    private static final Logger fixes = LoggerFactory.getLogger(SecurityReleases.class);

    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration INTERVAL_SHORT = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final Duration INFO_INTERVAL = Duration.ofMinutes(1);

    private final Doorbell doorbell;
    private final RedisConnection connection;
    private final RunContext context;
    private final Predicate<Key> isBroken;
    private final Runnable rings;

    // Confined to its thread.
    private long nextCheck;
    private long nextInfo;
    private boolean everHeard;
    private boolean logged;
    private int deafChecks;
    private String judged = ""; // the message about the server, so that it comes once, and again for another server
    private String unpatched = ""; // in the same way

    private volatile @Nullable String evictionPolicy;

    /**
     * @param isBroken asks Redis whether a key holds a wrong type
     * @param rings called when the doorbell works again: its rings until then are lost
     */
    public ServerWatch(
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
        this.nextInfo = context.nanos();
    }

    /**
     * Checks the server, if that is due or the doorbell has to ring for other keys than before. Returns how long until
     * the next check.
     */
    public Duration runOnce() {
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
        readInfo();
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

    private void readInfo() {
        if (context.nanos() - nextInfo < 0) {
            return;
        }
        try {
            ServerFacts facts = ServerFacts.of(connection.serverInfo());
            checkSupport(ServerSupport.of(facts));
            checkFixes(SecurityReleases.warning(facts).orElse(""));
            checkEvictionPolicy(facts.get("maxmemory_policy"));
            nextInfo = context.nanos() + INFO_INTERVAL.toNanos();
        } catch (JobStoreException e) {
            log.debug("Could not read what the server is", e); // an outage is noticed by other parts
        }
    }

    private void checkSupport(ServerSupport support) {
        if (support.message().equals(judged)) {
            return;
        }
        judged = support.message();
        switch (support.level()) {
            case SUPPORTED -> log.info("This server is a supported one now");
            case UNTESTED -> log.warn("{}", judged);
            case UNSUITABLE -> log.error("{}", judged);
        }
    }

    private void checkFixes(String warning) {
        if (!warning.isEmpty() && !warning.equals(unpatched)) {
            fixes.warn("{}", warning);
        }
        unpatched = warning;
    }

    private void checkEvictionPolicy(@Nullable String policy) {
        if (policy != null && !policy.equals("noeviction") && !policy.equals(evictionPolicy)) {
            log.warn(
                    "This Redis has the maxmemory-policy '{}', so it may delete jobs when it is full. Set it to noeviction, and "
                            + "use a Redis for jobs that is not a cache",
                    policy);
        }
        if (policy != null && policy.equals("noeviction") && evictionPolicy != null && !policy.equals(evictionPolicy)) {
            log.info("This Redis has the maxmemory-policy 'noeviction' now, so it deletes no jobs");
        }
        evictionPolicy = policy;
    }

    /** The server's {@code maxmemory-policy}, or null while it is unknown. */
    @Nullable public String evictionPolicy() {
        return evictionPolicy;
    }
}
