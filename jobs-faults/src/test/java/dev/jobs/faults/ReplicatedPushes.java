package dev.jobs.faults;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.Payload;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Another client, which considers a job accepted only when a replica has it too. Push and check use one connection,
 * which never reconnects by itself: the replica must have received the push from this very server.
 */
final class ReplicatedPushes implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final long REPLICATED_WITHIN_MILLIS = 500;

    private final Random random = new Random(17);
    private final RedisClient client = RedisClient.create();
    private final String keyPrefix;
    private final Supplier<String> uri;
    private @Nullable StatefulRedisConnection<String, String> connection;

    /** @param uri of the primary, for each connection */
    ReplicatedPushes(String keyPrefix, Supplier<String> uri) {
        this.keyPrefix = keyPrefix;
        this.uri = uri;
        client.setOptions(ClientOptions.builder().autoReconnect(false).build());
    }

    /**
     * Pushes a job. Returns its id.
     *
     * @throws JobStoreException if it may not be on the replica
     */
    String push(String queue, String name, Object... arguments) {
        byte[] id = new byte[12];
        random.nextBytes(id);
        String jid = HexFormat.of().formatHex(id);
        byte[] payload = Payload.of(Map.of("class", name, "args", List.of(arguments), "jid", jid))
                .bytes();
        try {
            if (connection == null) {
                RedisURI address = RedisURI.create(uri.get());
                address.setTimeout(TIMEOUT);
                connection = client.connect(address);
            }
            RedisCommands<String, String> redis = connection.sync();
            redis.lpush(keyPrefix + "queue:" + queue, new String(payload, StandardCharsets.UTF_8));
            if (redis.waitForReplication(1, REPLICATED_WITHIN_MILLIS) == 0) {
                throw new RedisException("not replicated");
            }
            return jid;
        } catch (RedisException e) {
            hangUp();
            throw new JobStoreException(Kind.OTHER, "No replica may have it", e);
        }
    }

    private void hangUp() {
        if (connection != null) {
            connection.closeAsync();
            connection = null;
        }
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
