package dev.jobs.embeddedredis;

import java.io.IOException;

/** A JVM with an embedded Redis, for tests that end it from outside. It reports events on standard output. */
final class EmbeddedRedisApplication {

    private EmbeddedRedisApplication() {}

    @SuppressWarnings("resource") // deliberately never closed
    public static void main(String[] args) throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> say("at the end: " + ping(redis))));
        say(redis.pid());
        int ignored = System.in.read(); // until this JVM is ended
    }

    private static String ping(EmbeddedRedis redis) {
        try {
            return RedisProbe.ask(redis.port(), "PING");
        } catch (IOException ex) {
            return ex.toString();
        }
    }

    private static void say(Object what) {
        System.out.println(what);
    }
}
