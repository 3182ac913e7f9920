package dev.jobs.admin;

import dev.jobs.testing.RedisFixture;

/** Jobs whose ids are numbers, from 0, in the queue {@code mail} or in the scheduled set with ten to a score. */
public final class NumberedJobs {

    private NumberedJobs() {}

    public static String job(int number) {
        return "{\"class\":\"C\",\"queue\":\"mail\",\"jid\":\"" + number + "\"}";
    }

    static void enqueue(RedisFixture redis, int jobs) {
        redis.texts().sadd("queues", "mail");
        for (int i = 0; i < jobs; i++) {
            redis.texts().lpush("queue:mail", job(i));
        }
    }

    public static void schedule(RedisFixture redis, int jobs) {
        for (int i = 0; i < jobs; i++) {
            redis.texts().zadd("schedule", 4e9 + i / 10, job(i));
        }
    }
}
