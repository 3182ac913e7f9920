package dev.jobs.redis;

import dev.jobs.Internal;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisReactiveCommandsImpl;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A client whose connections have asynchronous commands only, which are all that {@link RedisConnection} calls. The first
 * connection of another client looks up some 730 methods of the synchronous ones by name.
 */
@Internal
public final class AsyncRedisClient extends RedisClient {

    public AsyncRedisClient(ClientResources resources, RedisURI address) {
        super(resources, address);
    }

    @Override
    protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
            RedisChannelWriter writer, PushHandler pushes, RedisCodec<K, V> codec, Duration timeout) {
        return new Connection<>(writer, pushes, codec, timeout);
    }

    private static final class Connection<K, V> extends StatefulRedisConnectionImpl<K, V> {

        Connection(RedisChannelWriter writer, PushHandler pushes, RedisCodec<K, V> codec, Duration timeout) {
            super(writer, pushes, codec, timeout);
        }

        @Override
        protected @Nullable RedisCommands<K, V> newRedisSyncCommandsImpl() {
            return null; // for a field that sync() alone reads
        }

        @Override
        protected @Nullable RedisReactiveCommandsImpl<K, V> newRedisReactiveCommandsImpl() {
            return null; // for a field that reactive() alone reads
        }

        @Override
        public RedisCommands<K, V> sync() {
            throw new UnsupportedOperationException("This connection has asynchronous commands only");
        }

        @Override
        public RedisReactiveCommands<K, V> reactive() {
            throw new UnsupportedOperationException("This connection has asynchronous commands only");
        }
    }
}
