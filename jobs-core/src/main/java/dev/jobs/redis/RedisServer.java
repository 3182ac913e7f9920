package dev.jobs.redis;

import dev.jobs.Internal;
import java.util.Locale;
import java.util.function.Function;

/**
 * The server that holds the jobs, as messages about failed connections describe it.
 *
 * @param address where it is, such as {@code "localhost:6379, database 0"}, never with a password; empty if unknown
 * @param encrypted whether connections use TLS
 * @param name the words by which users find a setting, such as {@code "spring.data.redis.password"}
 */
@Internal
public record RedisServer(String address, boolean encrypted, Function<Setting, String> name) {

    /** What can be wrong in the configuration of a connection. */
    public enum Setting {
        ADDRESS,
        CREDENTIALS,
        PASSWORD,
        DATABASE,
        TLS,
        CERTIFICATE
    }

    /** A server of which nothing is known. */
    static final RedisServer UNKNOWN =
            new RedisServer("", false, setting -> "the " + setting.name().toLowerCase(Locale.ROOT));

    String at() {
        return address.isEmpty() ? "" : " at " + address;
    }

    String name(Setting setting) {
        return name.apply(setting);
    }
}
