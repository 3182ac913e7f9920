package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;

/** What holds for the connections to the Redis of any installation. */
@Internal
public final class ConnectionRules {

    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    /** The part of a key by which a Redis Cluster finds its hash slot: the first pair of braces, unless it is empty. */
    private static final Pattern HASH_TAG = Pattern.compile("[^{]*\\{[^}]+}.*");

    private ConnectionRules() {}

    /** @throws JobDefinitionException if it is a cluster and the prefix of its keys has no hash tag */
    public static void requireHashTag(boolean cluster, String property, String prefix) {
        if (cluster && !HASH_TAG.matcher(prefix).matches()) {
            throw new JobDefinitionException(
                    "Redis is a cluster, and the property " + property + " is '" + prefix
                            + "': without a hash tag in it the keys of one job lie on several nodes, which no script can reach at once",
                    "Set " + property
                            + " to a name in braces, such as \"{shop}:\". To spread load over the nodes, give each installation "
                            + "of Jobs its own.");
        }
    }

    /**
     * The factory's timeout, unless it is Lettuce's default of a minute, which would make callers wait too long and
     * which the properties did not ask for.
     */
    public static Duration timeout(Duration model, @Nullable DataRedisProperties properties) {
        boolean chosen = properties != null && model.equals(properties.getTimeout());
        return model.isZero() || model.isNegative() || (!chosen && model.equals(RedisURI.DEFAULT_TIMEOUT_DURATION))
                ? DEFAULT_TIMEOUT
                : model;
    }
}
