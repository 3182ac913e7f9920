package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Lets parked jobs go on that a free permit waits for, where no settlement did. {@link #look} is confined to one thread.
 */
@Internal
public final class ParkedJobs {

    private static final int FEW = 20;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimitKeys limitKeys;

    /** The queues of the last look: most jobs that go on have the same ones. */
    private volatile Set<String> usual = Set.of();

    private final FewCalls fewCalls;
    private final LimitsSweep sweep;

    /** Keys of which more jobs go on than the calls until now moved. */
    private final Deque<More> rest = new ArrayDeque<>();

    public ParkedJobs(RedisConnection connection, RedisKeys keys) {
        this(connection, keys, () -> 0);
    }

    /** @param nanoTime by which one look ends soon: due jobs wait meanwhile */
    public ParkedJobs(RedisConnection connection, RedisKeys keys, LongSupplier nanoTime) {
        this.connection = connection;
        this.keys = keys;
        this.limitKeys = new LimitKeys(keys);
        this.fewCalls = new FewCalls(nanoTime);
        this.sweep = new LimitsSweep(connection, keys, nanoTime);
    }

    /**
     * Looks at keys of limits: moves parked jobs to the front of their queues, as many as there are free permits and as
     * may start by the rate.
     *
     * @param limitIds as {@link JobSets.Due#looks()} names them
     * @param serverTime the server's clock
     * @return whether there is more to do soon, whatever is due
     */
    public boolean look(List<String> limitIds, Instant serverTime) {
        List<String> going = rest.stream().map(More::limitId).toList();
        List<String> some = limitIds.stream()
                .filter(limitId -> limitId.indexOf('\n') >= 0 && !going.contains(limitId))
                .toList();
        CallBounds.slices(some, CallBounds.JOBS).forEach(slice -> rest.addAll(wake(slice, "")));
        fewCalls.make(this::goOn);
        for (String limitId : limitIds) {
            if (limitId.equals(LimitsSweep.ALL)) {
                sweep.due(names(), serverTime);
            } else if (limitId.indexOf('\n') < 0) {
                connection.run(commands -> commands.zrem(limitKeys.wake(), Bytes.of(limitId)));
            }
        }
        return sweep.goOn() || !rest.isEmpty();
    }

    /** Lets more jobs of a key go on of which there are more than a call moves. Returns whether there was one. */
    private boolean goOn() {
        More next = rest.poll();
        if (next == null) {
            return false;
        }
        wake(List.of(next.limitId()), Integer.toString(next.jobs())).forEach(rest::addFirst);
        return true;
    }

    /** A key with free permits for more jobs than a call moves: for its first ones, so many. */
    private record More(String limitId, int jobs) {}

    /** @param rest with how many jobs of the key to go on; empty to begin */
    private List<More> wake(List<String> limitIds, String rest) {
        List<More> more = new ArrayList<>();
        Set<String> queues = new LinkedHashSet<>(usual);
        List<String> left = limitIds;
        while (!left.isEmpty()) {
            List<Object> answer = wake(left, rest, queues);
            List<String> asked = left;
            List<Object> goOn = Bytes.list(answer.get(2));
            for (int i = 0; i < goOn.size(); i += 2) {
                more.add(new More(at(asked, goOn.get(i)), (int) Bytes.number(goOn.get(i + 1))));
            }
            boolean lacked = queues.addAll(
                    Bytes.list(answer.get(0)).stream().map(Bytes::text).toList());
            left = lacked
                    ? Bytes.list(answer.get(1)).stream()
                            .map(number -> at(asked, number))
                            .toList()
                    : List.of();
        }
        usual = queues.size() > FEW ? Set.of() : Set.copyOf(queues);
        return more;
    }

    private static String at(List<String> limitIds, Object number) {
        return limitIds.get((int) Bytes.number(number) - 1);
    }

    private List<Object> wake(List<String> limitIds, String rest, Set<String> queues) {
        List<JobLimit> some = limitIds.stream().map(JobLimit::at).toList();
        List<String> limits = some.stream().map(JobLimit::limit).distinct().toList();
        List<byte[]> all = new ArrayList<>(List.of(
                limitKeys.limits(),
                limitKeys.wake(),
                keys.queues(),
                keys.paused(),
                limitKeys.rates(),
                limitKeys.cancelled(),
                limitKeys.cancelledBatches()));
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(limits.size()),
                Bytes.of(some.size()),
                Bytes.of(CallBounds.JOBS),
                Bytes.of(rest),
                Bytes.of(connection.bounds().bytes())));
        for (String limit : limits) {
            all.add(limitKeys.permits(limit));
            all.add(limitKeys.parked(limit));
            arguments.add(Bytes.of(limit));
        }
        for (JobLimit each : some) {
            arguments.add(Bytes.of(limits.indexOf(each.limit()) + 1));
            arguments.add(Bytes.of(each.key()));
        }
        for (String queue : queues) {
            all.add(keys.queue(queue));
            arguments.add(Bytes.of(queue));
        }
        return connection.call(LimitScripts.WAKE, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
    }

    /** The limits at which jobs are parked, sorted. */
    List<String> inUse() {
        List<String> all = names();
        List<Long> sizes = sizes(connection, limitKeys, all);
        return IntStream.range(0, all.size())
                .filter(i -> sizes.get(i) > 0)
                .mapToObj(all::get)
                .toList();
    }

    /** How many jobs are parked at each of some limits. */
    static List<Long> sizes(RedisConnection connection, LimitKeys limitKeys, List<String> limits) {
        return connection.run(commands -> Replies.all(limits.stream()
                .map(limit -> Replies.unlessWrongType(commands.zcard(limitKeys.parked(limit)), 0L))
                .toList()));
    }

    /** Whether what is due is a look at all keys. */
    static boolean isLookAtAll(List<String> limitIds) {
        return limitIds.contains(LimitsSweep.ALL);
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
