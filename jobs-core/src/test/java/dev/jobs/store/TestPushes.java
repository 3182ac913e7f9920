package dev.jobs.store;

import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.JobPushes.Due;
import dev.jobs.store.JobPushes.Sent;
import java.time.Duration;
import java.util.List;

/** Pushes that tests also make in one call: without checks, waiting for the answer. */
public final class TestPushes {

    private final JobPushes pushes;

    public TestPushes(RedisConnection connection, RedisKeys keys, Duration timeout) {
        this.pushes = new JobPushes(connection, keys, timeout);
    }

    public TestPushes(RedisConnection connection, RedisKeys keys, Duration timeout, String client) {
        this.pushes = new JobPushes(connection, keys, timeout, client);
    }

    public void push(String queue, List<byte[]> payloads) {
        awaitOnce(sendPush(queue, payloads, List.of()));
    }

    public void schedule(List<Due> jobs) {
        awaitOnce(sendSchedule(jobs, List.of()));
    }

    private static void awaitOnce(Sent sent) {
        try {
            sent.await();
        } finally {
            sent.giveUp();
        }
    }

    public Sent sendPush(String queue, List<byte[]> payloads, List<List<Check>> checks) {
        return pushes.sendPush(queue, payloads, checks);
    }

    public Sent sendSchedule(List<Due> jobs, List<List<Check>> checks) {
        return pushes.sendSchedule(jobs, checks);
    }

    public void renewId() {
        pushes.renewId();
    }
}
