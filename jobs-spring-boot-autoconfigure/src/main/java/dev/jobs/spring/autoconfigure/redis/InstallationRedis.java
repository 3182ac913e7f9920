package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.Internal;
import dev.jobs.redis.RedisServer.Setting;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import dev.jobs.spring.autoconfigure.ordered.OrderedQueueProperties;
import io.lettuce.core.RedisURI;
import java.util.Map;
import java.util.function.Function;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis of another installation than the application's own, and how its jobs are stored there.
 *
 * @param url Where it is, such as "rediss://redis.eu.example.org:6379/0": redis, with TLS rediss, redis-sentinel or
 *     redis-socket. User name and password may be in it.
 * @param username User name, if it isn't in the URL.
 * @param password Password, if it isn't in the URL.
 * @param connectionFactory Name of a LettuceConnectionFactory bean instead of a URL, such as for a cluster.
 * @param keyPrefix Prefix of all keys, as "jobs.key-prefix" is there.
 * @param recurringNamespace Group of recurring jobs, as "jobs.recurring.namespace" is there.
 * @param orderedQueues Queues that are ordered, as "jobs.ordered-queues" are there.
 * @param floatSeconds Whether times are written in seconds with a fraction, as "jobs.sidekiq.float-seconds" is there.
 */
@Internal
public record InstallationRedis(
        @DefaultValue("") String url,
        @DefaultValue("") String username,
        @DefaultValue("") String password,
        @DefaultValue("") String connectionFactory,
        @DefaultValue("") String keyPrefix,
        @DefaultValue("default") String recurringNamespace,
        @DefaultValue Map<String, OrderedQueueProperties> orderedQueues,
        @DefaultValue("false") boolean floatSeconds) {

    /** @param prefix of these properties below that of the rules, with a dot at its end */
    public void check(String prefix, PropertyRules rules) {
        if (isBean()) {
            rules.checkSecret(
                    prefix + "url",
                    url.isEmpty() && username.isEmpty() && password.isEmpty(),
                    "must be empty beside connection-factory, as must username and password");
        } else {
            rules.checkSecret(
                    prefix + "url",
                    isUrl(),
                    "must be an address such as rediss://redis.example.org:6379/0, unless there is a connection-factory");
        }
        rules.check(
                prefix + "recurring-namespace", recurringNamespace, !recurringNamespace.isEmpty(), "must not be empty");
        orderedQueues.forEach((name, queue) -> queue.check(prefix + "ordered-queues[" + name + "].", rules));
    }

    public boolean isBean() {
        return !connectionFactory.isEmpty();
    }

    private boolean isUrl() {
        try {
            address();
            return true;
        } catch (RuntimeException e) {
            return false; // its message has the URL in it
        }
    }

    public RedisURI uri() {
        return RedisURI.create(url);
    }

    public RedisConfiguration address() {
        RedisConfiguration address = LettuceConnectionFactory.createRedisConfiguration(uri());
        if (address instanceof RedisConfiguration.WithAuthentication login) {
            if (!username.isEmpty()) {
                login.setUsername(username);
            }
            if (!password.isEmpty()) {
                login.setPassword(password);
            }
        }
        return address;
    }

    /**
     * Where people find a setting.
     *
     * @param prefix of these properties, with a dot at its end
     */
    public Function<Setting, String> names(String prefix) {
        if (isBean()) {
            return setting -> "the bean '" + connectionFactory + "'";
        }
        return setting -> switch (setting) {
            case ADDRESS -> "host and port in " + prefix + "url";
            case CREDENTIALS -> prefix + "username and " + prefix + "password";
            case PASSWORD -> prefix + "password";
            case DATABASE -> "the database in " + prefix + "url";
            case TLS -> "the scheme of " + prefix + "url (rediss: is with TLS, redis: without)";
            case CERTIFICATE -> "it, or name a " + prefix + "connection-factory that accepts it";
        };
    }

    /** Without the password. */
    @Override
    public String toString() {
        return isBean() ? "the bean '" + connectionFactory + "'" : "a URL";
    }
}
