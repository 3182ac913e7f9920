package dev.jobs.test;

import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.client.JobStore;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The real client. */
class RedisJobClientIT extends JobClientContract {

    private static OwnRedis redis;
    private static StatefulRedisConnection<String, String> connection;

    @BeforeAll
    static void start() {
        redis = new OwnRedis();
        connection = redis.client().connect();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void flush() {
        connection.sync().flushall();
    }

    @Override
    JobStore store() {
        return new RedisJobStore(redis.connections(new RedisKeys("")));
    }

    @Override
    List<Stored> stored() {
        List<Stored> all = new ArrayList<>();
        for (String queue : connection.sync().smembers("queues")) {
            List<String> jobs = connection.sync().lrange("queue:" + queue, 0, -1);
            Collections.reverse(jobs);
            jobs.forEach(job -> all.add(new Stored(null, payload(job))));
        }
        connection
                .sync()
                .zrangeWithScores("schedule", 0, -1)
                .forEach(job -> all.add(new Stored(
                        Instant.EPOCH.plus(Math.round(job.getScore() * 1e6), ChronoUnit.MICROS),
                        payload(job.getValue()))));
        return all;
    }

    private static Payload payload(String json) {
        return Payload.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
