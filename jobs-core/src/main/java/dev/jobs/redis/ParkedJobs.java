package dev.jobs.redis;

import io.lettuce.core.ZAddArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Lets parked jobs go on that a free permit waits for, where no settlement did. Thread-safe. */
public final class ParkedJobs {

    /** How often all parked jobs are looked through, in case something removed a permit or a job. */
    private static final Duration SWEEP = Duration.ofMinutes(1);

    /** How many keys one call looks at. */
    private static final int KEYS_TOGETHER = 200;

    private static final String ALL = "";

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimitKeys limitKeys;

    public ParkedJobs(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.limitKeys = new LimitKeys(keys);
    }

    /**
     * Looks at keys of limits: moves parked jobs to the front of their queues, as many as there are free permits.
     *
     * @param places as {@link JobSets.Due#limits()} names them
     * @param serverTime the server's clock
     */
    public void look(List<String> places, Instant serverTime) {
        for (String place : places) {
            int end = place.indexOf('\n');
            if (place.equals(ALL)) {
                lookAtAll(serverTime);
            } else if (end >= 0) {
                wake(place.substring(0, end), place.substring(end + 1));
            } else {
                connection.run(commands -> commands.zrem(limitKeys.wake(), Bytes.of(place)));
            }
        }
    }

    private int wake(String limit, String key) {
        Set<String> queues = new LinkedHashSet<>();
        int moved = 0;
        while (true) {
            List<byte[]> all = new ArrayList<>(List.of(
                    limitKeys.permits(limit),
                    limitKeys.parked(limit),
                    limitKeys.limits(),
                    limitKeys.wake(),
                    keys.queues()));
            List<byte[]> arguments =
                    new ArrayList<>(List.of(Bytes.of(limit), Bytes.of(key), Bytes.of(CallLimits.JOBS)));
            for (String queue : queues) {
                all.add(keys.queue(queue));
                arguments.add(Bytes.of(queue));
            }
            List<Object> answer =
                    connection.call(LuaScript.WAKE, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
            moved += (int) Bytes.number(answer.get(0));
            String missing = Bytes.text(answer.get(1));
            if (missing.isEmpty() || !queues.add(missing)) {
                return moved;
            }
        }
    }

    private void lookAtAll(Instant serverTime) {
        List<String> limits = names();
        if (limits.isEmpty()) {
            connection.run(commands -> commands.zrem(limitKeys.wake(), Bytes.of(ALL)));
            return;
        }
        // First: if this process dies half way, another one begins again.
        connection.run(commands -> commands.zadd(
                limitKeys.wake(),
                new ZAddArgs(),
                (double) serverTime.plus(SWEEP).getEpochSecond(),
                Bytes.of(ALL)));
        List<Long> parked = connection.run(commands -> Replies.all(limits.stream()
                .map(limit -> Replies.unlessWrongType(commands.zcard(limitKeys.parked(limit)), 0L))
                .toList()));
        for (int i = 0; i < limits.size(); i++) {
            if (parked.get(i) > 0) {
                sweep(limits.get(i));
            }
        }
    }

    private void sweep(String limit) {
        byte[] last = {};
        boolean begins = true;
        boolean over = false;
        while (!over) {
            List<Object> answer = connection.call(
                    LuaScript.LIMITS_SWEEP,
                    new byte[][] {
                        limitKeys.permits(limit),
                        limitKeys.parked(limit),
                        limitKeys.limits(),
                        limitKeys.wake(),
                        keys.beats()
                    },
                    new byte[][] {Bytes.of(limit), Bytes.of(begins ? 1 : 0), last, Bytes.of(KEYS_TOGETHER)});
            begins = false;
            over = Bytes.number(answer.get(0)) == 1;
            last = (byte[]) answer.get(1);
        }
    }

    /** The names of all limits that workers declared or people set, sorted. */
    public List<String> names() {
        return connection.run(commands -> commands.hkeys(limitKeys.limits())).stream()
                .map(Bytes::text)
                .filter(field -> field.startsWith("d:") || field.startsWith("s:"))
                .map(field -> field.substring(2))
                .distinct()
                .sorted()
                .toList();
    }
}
