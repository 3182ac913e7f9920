package dev.jobs.test;

import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.client.JobStore;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.api.async.RedisServerAsyncCommands;
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
    private static RedisConnection connection;

    @BeforeAll
    static void start() {
        redis = new OwnRedis();
        connection = redis.connections(new RedisKeys("")).open("test");
    }

    @AfterAll
    static void stop() {
        connection.close();
        redis.close();
    }

    @BeforeEach
    void flush() {
        connection.run(RedisServerAsyncCommands::flushall);
    }

    @Override
    JobStore store() {
        return new RedisJobStore(redis.connections(new RedisKeys("")));
    }

    @Override
    List<Stored> stored() {
        List<Stored> all = new ArrayList<>();
        for (byte[] queue : connection.run(commands -> commands.smembers(Bytes.of("queues")))) {
            byte[] list = Bytes.of("queue:" + Bytes.text(queue));
            List<byte[]> jobs = connection.run(commands -> commands.lrange(list, 0, -1));
            Collections.reverse(jobs);
            jobs.forEach(job -> all.add(new Stored(null, Payload.parse(job))));
        }
        connection
                .run(commands -> commands.zrangeWithScores(Bytes.of("schedule"), 0, -1))
                .forEach(job -> all.add(new Stored(
                        Instant.EPOCH.plus(Math.round(job.getScore() * 1e6), ChronoUnit.MICROS),
                        Payload.parse(job.getValue()))));
        return all;
    }
}
