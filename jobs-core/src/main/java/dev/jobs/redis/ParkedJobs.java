package dev.jobs.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.ZAddArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Lets parked jobs go on that a free permit waits for, where no settlement did. Thread-safe. */
public final class ParkedJobs {

    /** How often all parked jobs are looked through, in case something removed a permit or a job. */
    private static final Duration SWEEP = Duration.ofMinutes(1);

    /** How many keys one call looks at. */
    private static final int KEYS_TOGETHER = 200;

    /** How many such calls one look makes for starts by rates: due jobs wait meanwhile. */
    private static final int RATE_STEPS = 20;

    /** In how many minutes all starts by rates are looked at, however many there are. */
    private static final int RATE_SWEEPS = 3;

    private static final int FEW = 20;

    private static final String ALL = "";

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimitKeys limitKeys;

    /** The queues of the last look: most jobs that go on have the same ones. */
    private volatile Set<String> usual = Set.of();

    /** Where the sweep of rates goes on. */
    private volatile String rates = "0";

    /** How many calls the sweep of rates makes in a minute. */
    private volatile int ratesEachSweep;

    /** How many of them are left to be made. */
    private final AtomicInteger ratesLeft = new AtomicInteger();

    public ParkedJobs(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.limitKeys = new LimitKeys(keys);
    }

    /**
     * Looks at keys of limits: moves parked jobs to the front of their queues, as many as there are free permits and as
     * may start by the rate.
     *
     * @param places as {@link JobSets.Due#limits()} names them
     * @param serverTime the server's clock
     * @return whether there is more to do soon, whatever is due
     */
    public boolean look(List<String> places, Instant serverTime) {
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
        return sweepRates();
    }

    /** A key with free permits for more jobs than a call moves: for its first ones, so many. */
    private record More(String place, int jobs) {}

    private void wake(List<String> places) {
        for (More each : wake(places, "")) {
            List<More> more = List.of(each);
            while (!more.isEmpty()) {
                more = wake(List.of(each.place()), Integer.toString(more.get(0).jobs()));
            }
        }
    }

    /** @param rest with how many jobs of the key to go on; empty to begin */
    private List<More> wake(List<String> places, String rest) {
        List<More> more = new ArrayList<>();
        Set<String> queues = new LinkedHashSet<>(usual);
        List<String> left = places;
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

    private static String at(List<String> places, Object number) {
        return places.get((int) Bytes.number(number) - 1);
    }

    private List<Object> wake(List<String> places, String rest, Set<String> queues) {
        List<JobLimit> some = places.stream().map(JobLimit::at).toList();
        List<String> limits = some.stream().map(JobLimit::limit).distinct().toList();
        List<byte[]> all = new ArrayList<>(List.of(
                limitKeys.limits(),
                limitKeys.wake(),
                keys.queues(),
                keys.paused(),
                limitKeys.rates(),
                keys.cancelled(),
                keys.cancelledBatches()));
        List<byte[]> arguments = new ArrayList<>(
                List.of(Bytes.of(limits.size()), Bytes.of(some.size()), Bytes.of(CallLimits.JOBS), Bytes.of(rest)));
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
        return connection.call(LuaScript.WAKE, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
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
            if (parked.get(i) > 0 || QueueLimit.queueOf(limits.get(i)) != null) {
                sweep(limits.get(i));
            }
        }
        beginSweepOfRates();
    }

    /**
     * There may be a million keys with starts by rates, so they are looked at in parts. New ones may come faster than a
     * part of a fixed size is removed, so the parts grow with their number.
     */
    private void beginSweepOfRates() {
        long keysNow = connection.run(commands -> Replies.unlessWrongType(commands.hlen(limitKeys.rates()), 0L));
        int needed = (int) (keysNow / KEYS_TOGETHER / RATE_SWEEPS) + 1;
        // What was removed since a pass began has left its room behind.
        ratesEachSweep = Math.max(needed, rates.equals("0") ? RATE_STEPS : ratesEachSweep);
        ratesLeft.set(ratesEachSweep);
    }

    /** Makes some calls. Returns whether others are left for now. */
    private boolean sweepRates() {
        for (int i = 0; i < RATE_STEPS && ratesLeft.get() > 0; i++) {
            byte[] next = connection.callForOne(
                    LuaScript.RATES_SWEEP,
                    ScriptOutputType.VALUE,
                    new byte[][] {limitKeys.rates(), limitKeys.limits()},
                    new byte[][] {Bytes.of(rates), Bytes.of(KEYS_TOGETHER)});
            rates = Bytes.text(next);
            if (rates.equals("0")) {
                ratesLeft.set(0);
            } else {
                ratesLeft.decrementAndGet();
            }
        }
        return ratesLeft.get() > 0;
    }

    private void sweep(String limit) {
        byte[] last = {};
        boolean begins = true;
        boolean over = false;
        List<byte[]> all = new ArrayList<>(List.of(
                limitKeys.permits(limit),
                limitKeys.parked(limit),
                limitKeys.limits(),
                limitKeys.wake(),
                keys.beats(),
                limitKeys.rates()));
        String queue = QueueLimit.queueOf(limit);
        if (queue != null) {
            all.add(limitKeys.bell(queue));
        }
        while (!over) {
            List<Object> answer = connection.call(LuaScript.LIMITS_SWEEP, all.toArray(byte[][]::new), new byte[][] {
                Bytes.of(limit), Bytes.of(begins ? 1 : 0), last, Bytes.of(KEYS_TOGETHER)
            });
            begins = false;
            over = Bytes.number(answer.get(0)) == 1;
            last = (byte[]) answer.get(1);
        }
    }

    /** The limits at which jobs are parked, sorted. */
    List<String> inUse() {
        List<String> all = names();
        List<Long> sizes = connection.run(commands -> Replies.all(all.stream()
                .map(limit -> Replies.unlessWrongType(commands.zcard(limitKeys.parked(limit)), 0L))
                .toList()));
        return IntStream.range(0, all.size())
                .filter(i -> sizes.get(i) > 0)
                .mapToObj(all::get)
                .toList();
    }

    /** Whether what is due is a look at all keys. */
    public static boolean isLookAtAll(List<String> places) {
        return places.contains(ALL);
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
