package dev.jobs.redis;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Which of the capsules that serve the same queues are on call, which is to hear of jobs at once: so few that neither a job nor any change
 * of a key costs more the more processes there are. All others look now and then, in turns. Nothing about safety depends on it. Thread-safe.
 */
public final class OnCallRoster {

    /** So many: one is enough, and the second is there while the first is slow. */
    public static final int MOST = 2;

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(10);
    /** Between the looks of those that are not on call, all together. */
    private static final Duration SPREAD = Duration.ofMillis(20);

    /** What a capsule has to do. */
    public enum Load {
        /** It runs no job. */
        FREE,
        /** It runs jobs and has room for more. */
        BUSY,
        FULL,
        /** It takes no more jobs. */
        GONE
    }

    /**
     * An answer.
     *
     * @param onCall whether the capsule hears of jobs at once
     * @param spares how many don't, this one included
     */
    public record Answer(boolean onCall, int spares) {

        /** When to ask again. */
        public Duration next() {
            Duration turn = turn();
            return onCall || turn.compareTo(EVERY) < 0 ? EVERY : turn;
        }

        /** How often one of those looks that are not on call, for all of them together to look fifty times a second; at least each 10 s. */
        public Duration turn() {
            Duration turn = SPREAD.multipliedBy(spares);
            return turn.compareTo(LONGEST) < 0 ? turn : LONGEST;
        }
    }

    private final RedisConnection connection;
    private final RedisKeys keys;

    public OnCallRoster(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /**
     * Asks for one capsule. What it is told holds for three times as long as until its next question.
     *
     * @param queues all that it serves
     * @param capsule its name, which no other one has in any process
     */
    public Answer ask(List<String> queues, String capsule, Load load) {
        String group = String.join("\n", queues.stream().sorted().distinct().toList());
        List<Object> answer =
                connection.call(LuaScript.ON_CALL, new byte[][] {keys.onCall(group), keys.spare(group)}, new byte[][] {
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
