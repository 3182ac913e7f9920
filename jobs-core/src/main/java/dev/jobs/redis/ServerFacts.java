package dev.jobs.redis;

import dev.jobs.Internal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a server says of itself in its answer to {@code INFO}; an empty or unreadable answer says nothing. */
@Internal
public final class ServerFacts {

    /** What only one product says, of those that don't say their name. */
    private static final Map<String, String> MARKS =
            Map.of("redict_version", "redict", "dragonfly_version", "dragonfly", "mvcc_depth", "keydb");

    private static final String COMPATIBLE = "redis_version";

    private final Map<String, String> values = new HashMap<>();

    private ServerFacts(String info) {
        info.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0 && !line.startsWith("#")) {
                values.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
    }

    public static ServerFacts of(String info) {
        return new ServerFacts(info);
    }

    public @Nullable String get(String name) {
        return values.get(name);
    }

    /** {@code redis}, {@code valkey} …, in lower case; {@code redis} unless the server says otherwise. */
    public String product() {
        String name = values.get("server_name");
        return name != null
                ? name
                : MARKS.keySet().stream()
                        .filter(values::containsKey)
                        .map(MARKS::get)
                        .findFirst()
                        .orElse("redis");
    }

    /** The server's own version: {@code redis_version} of another server tells with which Redis it is compatible. */
    public @Nullable String version() {
        return values.getOrDefault(product() + "_version", values.get(COMPATIBLE));
    }
}
