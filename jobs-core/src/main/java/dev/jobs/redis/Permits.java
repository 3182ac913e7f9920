package dev.jobs.redis;

import io.lettuce.core.KeyValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes permits of limits for claimed jobs, and finds those of dead processes. A permit names the process and the token
 * of its job, so taking it twice is taking it once, and none is held that no job accounts for. Thread-safe.
 */
public final class Permits {

    /**
     * A claimed job that asks for its permits.
     *
     * @param time by which it is sorted among the parked jobs of its key, in milliseconds; null if it has none, it is
     *     then the time at which it is parked
     * @param limits at least one
     * @param effects what else changes in the same step if it is parked
     */
    public record Asking(
            String token, String queue, @Nullable Long time, List<JobLimit> limits, List<Effect> effects) {

        /** Approximate size on the wire in bytes. */
        int size() {
            int size = 32 + token.length() + queue.length() + Effect.size(effects);
            for (JobLimit each : limits) {
                size += 2 * each.limit().length() + each.key().length() + 32;
            }
            return size;
        }
    }

    /** What jobs with the same limits share in a call. */
    private record AskingSet(String queue, List<JobLimit> limits) {}

    /** What became of a job that asked, by the numbers of the script. */
    public enum Answer {
        /** The process doesn't hold it any more. */
        GONE,
        ADMITTED,
        /** It waits at a limit, and the process doesn't hold it any more. */
        PARKED,
        /** A key of one of its limits holds another type: it is still held, and has no permit. */
        BROKEN
    }

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimitKeys limitKeys;
    private final PermitEffects effects;

    public Permits(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.limitKeys = new LimitKeys(keys);
        this.effects = new PermitEffects(keys);
    }

    /** As many of the jobs as one call may carry, from the first; at least one if there are any. */
    public List<Asking> some(List<Asking> jobs) {
        return jobs.isEmpty()
                ? jobs
                : connection.limits().cut(jobs, Asking::size).get(0);
    }

    /** Takes what gives back a start by a rate that a job took. */
    @FunctionalInterface
    public interface Starts {

        /** @param job its index in the call */
        void taken(int job, Effect giveBack);
    }

    /** The same as below, if no start is ever given back. */
    Optional<List<Answer>> admit(String incarnation, List<Asking> jobs) {
        return admit(incarnation, jobs, (job, giveBack) -> {});
    }

    /**
     * Gives each job all its permits or parks it. May be repeated.
     *
     * @param jobs as many as one call may carry
     * @param starts told which starts jobs took in this very call
     * @return an answer for each; empty if the process was given up
     */
    public Optional<List<Answer>> admit(String incarnation, List<Asking> jobs, Starts starts) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        Map<AskingSet, Integer> sets = new HashMap<>();
        List<byte[]> names = new ArrayList<>();
        List<byte[]> all = new ArrayList<>(List.of(
                keys.inFlight(incarnation),
                keys.beats(),
                limitKeys.permitted(incarnation),
                limitKeys.limits(),
                limitKeys.wake(),
                keys.ledger(),
                limitKeys.rates(),
                keys.paused()));
        List<byte[]> setsOfLimits = new ArrayList<>();
        List<byte[]> asking = new ArrayList<>(3 * jobs.size());
        EffectEncoder happening = new EffectEncoder(keys);
        for (int i = 0; i < jobs.size(); i++) {
            Asking job = jobs.get(i);
            AskingSet set = new AskingSet(job.queue(), job.limits());
            Integer number = sets.get(set);
            if (number == null) {
                number = sets.size() + 1;
                sets.put(set, number);
                setsOfLimits.add(Bytes.of(job.limits().size() + " " + job.queue()));
                for (JobLimit each : job.limits()) {
                    if (!numbers.containsKey(each.limit())) {
                        numbers.put(each.limit(), numbers.size() + 1);
                        names.add(Bytes.of(each.limit()));
                        names.add(Bytes.of(
                                each.numbers() == null ? "" : each.numbers().stored()));
                        all.add(limitKeys.permits(each.limit()));
                        all.add(limitKeys.parked(each.limit()));
                    }
                    setsOfLimits.add(Bytes.of(numbers.getOrDefault(each.limit(), 0)));
                    setsOfLimits.add(Bytes.of(each.key()));
                }
            }
            asking.add(Bytes.of(job.token()));
            asking.add(Bytes.of(job.time() == null ? "" : sortable(job.time())));
            asking.add(Bytes.of(number));
            happening.add(i + 1, job.effects());
        }
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(incarnation),
                Bytes.of(numbers.size()),
                Bytes.of(jobs.size()),
                Bytes.of(6 + names.size() + setsOfLimits.size() + asking.size()),
                Bytes.of(sets.size())));
        arguments.addAll(names);
        arguments.addAll(setsOfLimits);
        arguments.addAll(asking);
        happening.appendTo(all, arguments);
        List<Object> answer =
                connection.call(LuaScript.ADMIT, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
        if (answer.size() != jobs.size() + 1) {
            return Optional.empty();
        }
        List<Object> taken = Bytes.list(answer.get(jobs.size()));
        for (int i = 0; i < taken.size(); i += 4) {
            int job = (int) Bytes.number(taken.get(i)) - 1;
            JobLimit limit = jobs.get(job).limits().get((int) Bytes.number(taken.get(i + 1)) - 1);
            starts.taken(job, effects.start(limit, (byte[]) taken.get(i + 2), (byte[]) taken.get(i + 3)));
        }
        return Optional.of(answer.subList(0, jobs.size()).stream()
                .map(each -> Bytes.number(each) < 0 ? Answer.BROKEN : Answer.values()[(int) Bytes.number(each)])
                .toList());
    }

    /** Sixteen digits: their order as text is that of the times. */
    static String sortable(long time) {
        String digits = Long.toString(Math.max(0, Math.min(time, 9_999_999_999_999_999L)));
        return "0".repeat(16 - digits.length()) + digits;
    }

    /** The effects by which jobs of a process that was given up lose their permits, by token. */
    Map<String, List<Effect>> ofDead(String victim, List<String> tokens) {
        if (tokens.isEmpty() || connection.<Long>run(commands -> commands.exists(limitKeys.permitted(victim))) == 0) {
            return Map.of();
        }
        byte[][] fields = tokens.stream().map(Bytes::of).toArray(byte[][]::new);
        Map<String, List<Effect>> found = new HashMap<>();
        List<KeyValue<byte[], byte[]>> entries = Replies.unlessWrongType(
                        () -> connection.run(commands -> commands.hmget(limitKeys.permitted(victim), fields)))
                .orElse(List.of());
        for (KeyValue<byte[], byte[]> entry : entries) {
            if (entry.hasValue()) {
                String token = Bytes.text(entry.getKey());
                found.put(token, effects.of(victim, JobClaims.queueOf(token), parse(entry.getValue())));
            }
        }
        return found;
    }

    private static List<JobLimit> parse(byte[] stored) {
        String[] parts = Bytes.text(stored).split("\n", -1);
        List<JobLimit> limits = new ArrayList<>();
        for (int i = 0; i + 1 < parts.length; i += 2) {
            limits.add(new JobLimit(parts[i], parts[i + 1], null));
        }
        return limits;
    }

    /** Tells Redis the numbers of the limits that this process knows. */
    public void declare(Map<String, LimitNumbers> limits) {
        List<byte[]> arguments = new ArrayList<>();
        limits.forEach((name, numbers) -> {
            arguments.add(Bytes.of(name));
            arguments.add(Bytes.of(numbers.stored()));
        });
        connection.callForOne(
                LuaScript.LIMITS_DECLARE,
                io.lettuce.core.ScriptOutputType.INTEGER,
                new byte[][] {limitKeys.limits(), limitKeys.wake()},
                arguments.toArray(byte[][]::new));
    }
}
