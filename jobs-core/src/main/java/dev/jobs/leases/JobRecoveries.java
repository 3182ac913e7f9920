package dev.jobs.leases;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.KeyValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * How often jobs outlived their workers, as {@code reap} counts it for 72 hours, and what workers that were about to
 * end said of the reason. Thread-safe.
 */
@Internal
public final class JobRecoveries {

    /** How long both are remembered. */
    public static final Duration KEPT = Duration.ofHours(72);

    private static final String REASON = "why:";
    private static final int REASON_CHARACTERS = 300;
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

    /**
     * Notes why a job is about to end its process. No state of the job depends on it, so nothing is lost with it, and it
     * is not repeated.
     *
     * @param reason a class, a colon, and a message
     * @param atMost how long to wait for Redis
     */
    public void because(byte[] payload, String reason, Instant now, Duration atMost) {
        byte[] field = Bytes.of(REASON + Bytes.sha1(payload));
        byte[] text = Bytes.of(reason.substring(0, Math.min(reason.length(), REASON_CHARACTERS)));
        CompletionStage<Boolean> noted = connection.runAsync(commands -> {
            commands.zadd(keys.recoveredTimes(), (double) now.getEpochSecond(), field); // reap forgets it by this
            commands.expire(keys.recoveredTimes(), KEPT.toSeconds());
            commands.hset(keys.recovered(), field, text);
            return commands.expire(keys.recovered(), KEPT.toSeconds());
        });
        connection.await(noted, atMost);
    }

    /** What was noted of each of these; empty where nothing was. */
    public List<Optional<String>> reasons(List<byte[]> payloads) {
        byte[][] fields = payloads.stream()
                .map(payload -> Bytes.of(REASON + Bytes.sha1(payload)))
                .toArray(byte[][]::new);
        List<KeyValue<byte[], byte[]>> none = payloads.stream()
                .map(each -> KeyValue.<byte[], byte[]>empty(NOTHING))
                .toList();
        return connection
                .run(commands -> Replies.unlessWrongType(commands.hmget(keys.recovered(), fields), none))
                .stream()
                .map(each ->
                        each.hasValue() ? Optional.of(new String(each.getValue(), UTF_8)) : Optional.<String>empty())
                .toList();
    }
}
