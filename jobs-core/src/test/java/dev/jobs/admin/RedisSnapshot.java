package dev.jobs.admin;

import dev.jobs.testing.RedisFixture;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The whole content of a Redis, in a form that people can compare. */
final class RedisSnapshot {

    private RedisSnapshot() {}

    static SortedMap<String, Object> of(RedisFixture redis) {
        SortedMap<String, Object> contents = new TreeMap<>();
        for (String key : redis.texts().keys("*")) {
            contents.put(key, value(redis, key));
        }
        return contents;
    }

    private static Object value(RedisFixture redis, String key) {
        return switch (redis.texts().type(key)) {
            case "list" -> redis.texts().lrange(key, 0, -1);
            case "set" -> new TreeSet<>(redis.texts().smembers(key));
            case "hash" -> new TreeMap<>(redis.texts().hgetall(key));
            case "zset" -> scored(redis, key);
            default -> redis.texts().get(key);
        };
    }

    /** The members of a sorted set in their order, each as {@code score member}. */
    static List<String> scored(RedisFixture redis, String key) {
        return redis.texts().zrangeWithScores(key, 0, -1).stream()
                .map(entry -> entry.getScore() + " " + entry.getValue())
                .toList();
    }

    /** The same content with some keys changed; a null value removes the key. */
    static SortedMap<String, Object> with(SortedMap<String, Object> before, Object... changes) {
        SortedMap<String, Object> after = new TreeMap<>(before);
        for (int i = 0; i < changes.length; i += 2) {
            if (changes[i + 1] == null) {
                after.remove((String) changes[i]);
            } else {
                after.put((String) changes[i], changes[i + 1]);
            }
        }
        return after;
    }

    static Map<String, Object> only(Object... contents) {
        return with(new TreeMap<>(), contents);
    }
}
