package dev.jobs.redis;

/** How often jobs outlived their workers, as {@code reap} counts it for 72 hours. Thread-safe. */
public final class JobRecoveries {

    private static final byte[] NOTHING = {};

    private final RedisConnection connection;
    private final RedisKeys keys;

    public JobRecoveries(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /** @param digest the SHA-1 of the payload, in hexadecimal */
    public long count(String digest) {
        byte[] stored = connection.run(commands -> Replies.unlessWrongType(
                commands.hget(keys.recovered(), Bytes.of(digest)).thenApply(count -> count == null ? NOTHING : count),
                NOTHING));
        try {
            return Math.max(0, Long.parseLong(Bytes.text(stored)));
        } catch (NumberFormatException e) {
            return 0; // none, or not a count of ours
        }
    }
}
