package dev.jobs.handover;

import dev.jobs.Internal;
import dev.jobs.engine.OnCall.Load;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Decides which of the capsules that serve the same queues are on call, which means that they are notified of jobs at
 * once. They are so few that the cost of a job or a key change doesn't grow with the number of processes. All others
 * poll in turns. Safety does not depend on it. Thread-safe.
 */
@Internal
public final class OnCallRoster {

    private static final LuaScript ON_CALL = LuaScript.of(OnCallRoster.class, "on_call");

    /** Maximum capsules on call: one is enough, the second helps while the first is slow. */
    public static final int MOST = 2;

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(10);
    /** Time between any two polls of all capsules that are not on call. */
    private static final Duration SPREAD = Duration.ofMillis(20);

    /**
     * An answer.
     *
     * @param onCall whether the capsule is notified of jobs at once
     * @param spares number of capsules that are not, including this one
     */
    public record Answer(boolean onCall, int spares) {

        /** Time until the next request. */
        public Duration next() {
            Duration turn = turn();
            return onCall || turn.compareTo(EVERY) < 0 ? EVERY : turn;
        }

        /**
         * Time between the polls of one capsule that is not on call: all together poll fifty times a second, each at
         * least every 10 s.
         */
        public Duration turn() {
            Duration turn = SPREAD.multipliedBy(spares);
            return turn.compareTo(LONGEST) < 0 ? turn : LONGEST;
        }
    }

    private final RedisConnection connection;
    private final HandoverKeys keys;

    public OnCallRoster(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = new HandoverKeys(keys);
    }

    /**
     * Asks for one capsule to be on call. The answer holds for three times the time until the next request.
     *
     * @param queues all queues that it serves
     * @param capsule its name, unique among all processes
     */
    public Answer ask(List<String> queues, String capsule, Load load) {
        String group = String.join("\n", queues.stream().sorted().distinct().toList());
        List<Object> answer =
                connection.call(ON_CALL, new byte[][] {keys.onCall(group), keys.spare(group)}, new byte[][] {
                    Bytes.of(capsule),
                    Bytes.of(load.name().toLowerCase(Locale.ROOT)),
                    Bytes.of(MOST),
                    Bytes.of(EVERY.toMillis()),
                    Bytes.of(SPREAD.toMillis()),
                    Bytes.of(LONGEST.toMillis())
                });
        return new Answer(Bytes.number(answer.get(0)) == 1, (int) Bytes.number(answer.get(1)));
    }
}
