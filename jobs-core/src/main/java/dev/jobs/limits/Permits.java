package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.JobClaims;
import dev.jobs.unique.LockKeys;
import io.lettuce.core.KeyValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes permits of limits for claimed jobs, and finds those of dead processes. A permit names the process and the token
 * of its job, so taking it twice is taking it once, and none is held that no job accounts for. Thread-safe.
 */
@Internal
public final class Permits {

    /**
     * A claimed job that asks for its permits.
     *
     * @param time by which it is sorted among the parked jobs of its key, in milliseconds; null if it has none, it is
     *     then the time at which it is parked
     * @param limits at least one
     * @param conditions what keeps it from being run; then it gets no permit
     * @param effects what else changes in the same step if it is parked
     */
    public record Asking(
            String token,
            String queue,
            @Nullable Long time,
            List<JobLimit> limits,
            StartConditions conditions,
            List<Effect> effects) {

        /** A job that is run in any case. */
        public Asking(String token, String queue, @Nullable Long time, List<JobLimit> limits, List<Effect> effects) {
            this(token, queue, time, limits, StartConditions.NONE, effects);
        }

        /** Approximate size on the wire in bytes. */
        int size() {
            int size = 32 + token.length() + queue.length() + conditions.size() + Effect.size(effects);
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
        /** It is not to be run, since it has expired. The process still holds it, without permits; as the next ones. */
        EXPIRED,
        CANCELLED,
        /** Its batch is cancelled. */
        SKIPPED,
        REPLACED,
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
                : connection.bounds().cut(jobs, Asking::size).get(0);
    }

    /** Takes what gives back a start by a rate that a job took. */
    @FunctionalInterface
    public interface Starts {

        /** @param job its index in the call */
        void taken(int job, Effect giveBack);
    }

    /** The same as below, if no start is ever given back. */
    public Optional<List<Answer>> admit(String incarnation, List<Asking> jobs) {
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
        Call call = new Call(incarnation, jobs);
        List<Object> answer = connection.call(LimitScripts.ADMIT, call.keys(), call.arguments());
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

    /** What {@code admit.lua} is called with. */
    private final class Call {

        private final List<byte[]> all;
        private final List<byte[]> limits = new ArrayList<>();
        private final List<byte[]> sets = new ArrayList<>();
        private final List<byte[]> asking = new ArrayList<>();
        private final Map<String, Integer> lists = new HashMap<>();
        private final Map<String, Integer> limitNumbers = new HashMap<>();
        private final Map<AskingSet, Integer> setNumbers = new HashMap<>();
        private final List<byte[]> arguments;

        Call(String incarnation, List<Asking> jobs) {
            all = new ArrayList<>(List.of(
                    keys.inFlight(incarnation),
                    keys.beats(),
                    limitKeys.permitted(incarnation),
                    limitKeys.limits(),
                    limitKeys.wake(),
                    keys.ledger(),
                    limitKeys.rates(),
                    keys.paused(),
                    limitKeys.cancelled(),
                    limitKeys.cancelledBatches(),
                    keys.queues()));
            for (Asking job : jobs) {
                if (!lists.containsKey(job.queue())) {
                    all.add(keys.queue(job.queue()));
                    lists.put(job.queue(), all.size());
                }
            }
            jobs.forEach(job -> addSet(new AskingSet(job.queue(), job.limits())));
            jobs.forEach(this::addJob);
            arguments = new ArrayList<>(List.of(
                    Bytes.of(incarnation),
                    Bytes.of(limitNumbers.size()),
                    Bytes.of(jobs.size()),
                    Bytes.of(7 + limits.size() + sets.size() + asking.size()),
                    Bytes.of(setNumbers.size()),
                    Bytes.of(lists.size())));
            arguments.addAll(limits);
            arguments.addAll(sets);
            arguments.addAll(asking);
            EffectEncoder happening = new EffectEncoder(keys);
            for (int i = 0; i < jobs.size(); i++) {
                happening.add(i + 1, jobs.get(i).effects());
            }
            happening.appendTo(all, arguments);
        }

        private void addSet(AskingSet set) {
            if (setNumbers.putIfAbsent(set, setNumbers.size() + 1) != null) {
                return;
            }
            sets.add(Bytes.of(set.limits().size() + " " + lists.get(set.queue()) + " " + set.queue()));
            for (JobLimit each : set.limits()) {
                if (!limitNumbers.containsKey(each.limit())) {
                    limitNumbers.put(each.limit(), limitNumbers.size() + 1);
                    limits.add(Bytes.of(each.limit()));
                    limits.add(Bytes.of(
                            each.numbers() == null ? "" : each.numbers().stored()));
                    all.add(limitKeys.permits(each.limit()));
                    all.add(limitKeys.parked(each.limit()));
                }
                sets.add(Bytes.of(limitNumbers.getOrDefault(each.limit(), 0)));
                sets.add(Bytes.of(each.key()));
            }
        }

        private void addJob(Asking job) {
            StartConditions conditions = job.conditions();
            asking.add(Bytes.of(job.token()));
            asking.add(Bytes.of(job.time() == null ? "" : sortable(job.time())));
            asking.add(Bytes.of(setNumbers.getOrDefault(new AskingSet(job.queue(), job.limits()), 0)));
            if (conditions.digest() == null) {
                asking.add(Bytes.of(conditions.text()));
            } else {
                all.add(new LockKeys(keys).twin(conditions.digest()));
                asking.add(Bytes.of(all.size() + conditions.text()));
            }
        }

        byte[][] keys() {
            return all.toArray(byte[][]::new);
        }

        byte[][] arguments() {
            return arguments.toArray(byte[][]::new);
        }
    }

    /** Sixteen digits: their order as text is that of the times. */
    static String sortable(long time) {
        String digits = Long.toString(Math.max(0, Math.min(time, 9_999_999_999_999_999L)));
        return "0".repeat(16 - digits.length()) + digits;
    }

    /** The effects by which jobs of a process that was given up lose their permits, by token. */
    public Map<String, List<Effect>> ofDead(String victim, List<String> tokens) {
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
                LimitScripts.LIMITS_DECLARE,
                io.lettuce.core.ScriptOutputType.INTEGER,
                new byte[][] {limitKeys.limits(), limitKeys.wake()},
                arguments.toArray(byte[][]::new));
    }
}
