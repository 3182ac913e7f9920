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

    private static final int FEW = 20;

    private static final String ALL = "";

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimitKeys limitKeys;

    /** The queues of the last look: most jobs that go on have the same ones. */
    private volatile Set<String> usual = Set.of();

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
        List<String> some =
                places.stream().filter(place -> place.indexOf('\n') >= 0).toList();
        for (int from = 0; from < some.size(); from += CallLimits.JOBS) {
            wake(some.subList(from, Math.min(from + CallLimits.JOBS, some.size())));
        }
        for (String place : places) {
            if (place.equals(ALL)) {
                lookAtAll(serverTime);
            } else if (place.indexOf('\n') < 0) {
                connection.run(commands -> commands.zrem(limitKeys.wake(), Bytes.of(place)));
            }
        }
    }

    private void wake(List<String> places) {
        List<JobLimit> some = places.stream().map(JobLimit::at).toList();
        List<String> limits = some.stream().map(JobLimit::limit).distinct().toList();
        List<byte[]> all = new ArrayList<>(List.of(limitKeys.limits(), limitKeys.wake(), keys.queues(), keys.paused()));
        List<byte[]> arguments =
                new ArrayList<>(List.of(Bytes.of(limits.size()), Bytes.of(some.size()), Bytes.of(CallLimits.JOBS)));
        for (String limit : limits) {
            all.add(limitKeys.permits(limit));
            all.add(limitKeys.parked(limit));
            arguments.add(Bytes.of(limit));
        }
        for (JobLimit each : some) {
            arguments.add(Bytes.of(limits.indexOf(each.limit()) + 1));
            arguments.add(Bytes.of(each.key()));
        }
        Set<String> queues = new LinkedHashSet<>(usual);
        while (wake(all, arguments, queues)) {
            // the jobs are for queues that this call lacked
        }
        usual = queues.size() > FEW ? Set.of() : Set.copyOf(queues);
    }

    /** Returns whether other queues are needed, which it adds. */
    private boolean wake(List<byte[]> keysOfLimits, List<byte[]> places, Set<String> queues) {
        List<byte[]> all = new ArrayList<>(keysOfLimits);
        List<byte[]> arguments = new ArrayList<>(places);
        for (String queue : queues) {
            all.add(keys.queue(queue));
            arguments.add(Bytes.of(queue));
        }
        List<Object> missing =
                connection.call(LuaScript.WAKE, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
        return queues.addAll(missing.stream().map(Bytes::text).toList());
    }

    /** Lets the leader look at all keys, if jobs were ever limited. */
    void lookSoon() {
        connection.run(commands -> commands.zadd(limitKeys.wake(), ZAddArgs.Builder.xx(), 0.0, Bytes.of(ALL)));
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
