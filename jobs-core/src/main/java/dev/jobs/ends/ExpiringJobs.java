package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.limits.StartConditions;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.ScriptOutputType;
import java.time.Instant;

/** Begins jobs that expire. Thread-safe. */
@Internal
public final class ExpiringJobs {

    static final LuaScript IN_TIME = LuaScript.of(ExpiringJobs.class, "in_time");

    private final RedisConnection connection;
    private final RedisKeys keys;

    public ExpiringJobs(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /**
     * Begins a job, unless it has expired by Redis' clock. If its worker dies from then on, those who take the job over
     * know that it was begun in time.
     *
     * @param begun the job as it is stored once it was begun
     * @return whether the job may run
     */
    public boolean begin(String incarnation, String token, Instant expiry, byte[] begun) {
        byte[][] arguments = {Bytes.of(token), Bytes.of(StartConditions.micros(expiry)), begun};
        return connection.<Long>callForOne(
                        IN_TIME, ScriptOutputType.INTEGER, new byte[][] {keys.inFlight(incarnation)}, arguments)
                == 1;
    }
}
