package dev.jobs.redis;

import dev.jobs.Internal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether jobs can run on a server, as far as its product and version tell.
 *
 * @param level how well
 * @param message for the log; empty for a supported server
 */
@Internal
public record ServerSupport(Level level, String message) {

    public enum Level {
        /** Or nothing is known against it. */
        SUPPORTED,
        UNTESTED,
        UNSUITABLE
    }

    private static final ServerSupport SUPPORTED = new ServerSupport(Level.SUPPORTED, "");

    private static final int MAJOR = 6;
    private static final int MINOR = 2;

    /** The products that docs/servers.md lists as tested, and what people call them. */
    private static final Map<String, String> TESTED = Map.of("redis", "Redis", "valkey", "Valkey", "redict", "Redict");

    private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(\\..*)?");

    public static ServerSupport of(ServerFacts facts) {
        String version = facts.version();
        if (facts.product().equals("keydb")) {
            return new ServerSupport(
                    Level.UNSUITABLE,
                    "This server is " + called("KeyDB", version)
                            + ", which Jobs does not support: it leaves a command that was sent behind a blocking one "
                            + "unanswered, so jobs for idle workers wait for seconds and awaited results time out. "
                            + "Use Redis or Valkey");
        }
        String product = TESTED.get(facts.product());
        if (product == null) {
            return new ServerSupport(
                    Level.UNTESTED,
                    "This server is " + called(facts.product(), version)
                            + ", on which Jobs is not tested. Jobs is tested on "
                            + "Redis and Valkey; before you use another server, try there what you rely on");
        }
        // the two others began after that version of Redis
        if (!product.equals("Redis") || !isTooOld(version)) {
            return SUPPORTED;
        }
        return new ServerSupport(
                Level.UNSUITABLE,
                "This server is " + called(product, version)
                        + ", and Jobs needs Redis 6.2 or later: this one has no ZMSCORE, no "
                        + "ZADD with LT and no LPOP with a count, so limits, ordered queues and awaited results fail. "
                        + "Use a newer server");
    }

    private static String called(String product, @Nullable String version) {
        return version == null ? product : product + " " + version;
    }

    private static boolean isTooOld(@Nullable String version) {
        Matcher numbers = VERSION.matcher(version == null ? "" : version);
        if (!numbers.matches()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        return major < MAJOR || (major == MAJOR && Integer.parseInt(numbers.group(2)) < MINOR);
    }
}
