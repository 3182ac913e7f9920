package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Expiry;
import dev.jobs.Payload;
import dev.jobs.testing.RedisFixture;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The jobs of a recurring job in a queue that nobody serves. Each tells its slot by when it expires. */
final class FiredJobs {

    private static final int EXPIRES_IN = 100_000_000;

    /** The draft of the recurring job. */
    static final Payload DRAFT = Payload.parse(
            ("{\"retry\":true,\"queue\":\"parked\",\"expires_in\":" + EXPIRES_IN + ",\"class\":\"Count\",\"args\":[]}")
                    .getBytes(UTF_8));

    private FiredJobs() {}

    /** The jobs that were enqueued, the first one first. */
    static List<Payload> jobs(RedisFixture redis) {
        List<Payload> jobs = new ArrayList<>(redis.bytes().lrange("queue:parked".getBytes(UTF_8), 0, -1).stream()
                .map(Payload::parse)
                .toList());
        Collections.reverse(jobs);
        return jobs;
    }

    /** Their slots. */
    static List<Instant> slots(RedisFixture redis) {
        return jobs(redis).stream()
                .map(job -> Expiry.of(job).minusSeconds(EXPIRES_IN))
                .toList();
    }
}
