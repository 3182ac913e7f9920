package dev.jobs.dashboard.live;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.codec.AnyFailure;
import dev.jobs.dashboard.web.Json;
import dev.jobs.dashboard.web.Problem;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The live numbers of an installation, which all viewers share: read every two seconds while there are viewers,
 * otherwise only on request, and never more often, regardless of the number of viewers. Thread-safe.
 *
 * @param <T> the numbers, which are written as JSON
 */
@Internal
public final class Pulse<T> {

    private static final Logger log = LoggerFactory.getLogger(Pulse.class);

    public static final Duration INTERVAL = Duration.ofSeconds(2);
    /** A little less than the interval, so that an early tick doesn't get the previous numbers. */
    private static final Duration FRESH = INTERVAL.multipliedBy(3).dividedBy(4);

    private final BriefCache<T> latest;
    private final LiveStream stream;

    public Pulse(Supplier<T> reading, Clock clock, LiveStream stream) {
        this.latest = new BriefCache<>(reading, FRESH, clock);
        this.stream = stream;
    }

    /**
     * The numbers, at most two seconds old.
     *
     * @throws JobStoreException if Redis could not be read, now or a moment ago
     */
    public T latest() {
        return latest.get();
    }

    /** The first event of a stream of the numbers. Never throws. */
    public byte[] first() {
        return ServerSentEvents.first(event());
    }

    /** Sends the numbers to all viewers, if there are any. Never throws. */
    public void tick() {
        try {
            if (stream.hasViewers()) {
                stream.send(event());
            }
        } catch (Throwable e) { // would be the last tick
            AnyFailure.log(log, Level.WARN, "The dashboard could not send its live numbers; trying again", e);
        }
    }

    private byte[] event() {
        try {
            return ServerSentEvents.event("live", Json.bytes(latest()));
        } catch (JobStoreException e) {
            return down(Problem.redis(e));
        } catch (RuntimeException | Error e) {
            AnyFailure.log(log, Level.WARN, "The dashboard has no live numbers for now", e);
            return down(new Problem(500, "internal", "The numbers can't be read; the log says why"));
        }
    }

    /** The event that says that there are none. */
    private static byte[] down(Problem problem) {
        return ServerSentEvents.event("down", Json.bytes(Map.of("code", problem.code(), "message", problem.text())));
    }
}
