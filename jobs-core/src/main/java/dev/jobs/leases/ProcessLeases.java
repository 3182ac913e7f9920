package dev.jobs.leases;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.lists.EntryReader;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.KeyScan;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims;
import dev.jobs.store.StoreScripts;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Keeps the leases of processes, and hands on the jobs of processes that lost theirs. Thread-safe. */
@Internal
public final class ProcessLeases {

    public static final LuaScript BEAT = LuaScript.of(ProcessLeases.class, "beat");
    static final LuaScript CONDEMN = LuaScript.of(ProcessLeases.class, "condemn");
    static final LuaScript LEAVE = LuaScript.of(ProcessLeases.class, "leave");
    public static final LuaScript REAP =
            LuaScript.of(ProcessLeases.class, "reap", StoreScripts.PLACES, StoreScripts.STRIKES, StoreScripts.EFFECTS);

    private static final byte[] AS_IT_IS = {};

    /** Rounds in a lease, if no other process has a shorter one. */
    public static final int ROUNDS = 6;

    /**
     * The timing of beats and rounds that follows from a lease L: rounds at least R = L/6 apart; beats slightly further
     * apart, since a round that isn't due yet at a beat has to wait for the next beat; a process is given up after six
     * rounds without a beat. If others have shorter leases, both follow from the shortest, and it takes more rounds.
     */
    public record Timing(Duration lease) {

        public Duration beat() {
            return beat(round());
        }

        private static Duration beat(Duration round) {
            return round.multipliedBy(105).dividedBy(100);
        }

        public Duration round() {
            return Duration.ofMillis((lease.toMillis() + ROUNDS - 1) / ROUNDS);
        }

        /** A process whose last beat is older than this starts no job. */
        public Duration fresh() {
            return lease.multipliedBy(6).dividedBy(10);
        }
    }

    /** The answer to a beat. */
    public sealed interface Beat {}

    /**
     * @param held number of jobs that this incarnation holds in Redis
     * @param serverTime the server's clock
     * @param leader the identity of the leader, or empty
     * @param roles which of the {@linkplain #standingFor roles} for which this process stands it has
     * @param processes number of live processes
     * @param reap given-up processes to reap
     * @param beat maximum time until the next beat, so that the death of a process with the shortest lease is noticed
     *     in time
     * @param since when Redis got its present data; another value means that Redis lost its data
     */
    public record Alive(
            int held,
            Instant serverTime,
            String leader,
            Set<String> roles,
            int processes,
            List<String> reap,
            Duration beat,
            String since)
            implements Beat {}

    /** This incarnation was given up, and its jobs run elsewhere; or Redis lost its data. */
    public record Fenced() implements Beat {}

    /**
     * A job that outlived its workers too often and was buried, or discarded.
     *
     * @param payload as buried: with the reason as its error, if its last worker could still say it
     */
    public record Poisoned(String queue, byte[] payload, boolean discarded) {}

    /**
     * @param recovered jobs that were put back into their queues
     * @param poisoned jobs that outlived their workers too often
     * @param left jobs that stay because the key of their queue holds no list
     * @param finished whether the victim holds no more jobs and is forgotten
     */
    public record Reaped(int recovered, List<Poisoned> poisoned, int left, boolean finished) {}

    /** Knows what jobs hold besides their places in the hash of their process. */
    @FunctionalInterface
    public interface Holdings {

        /** The effects by which jobs of a process that was given up lose it, by token. */
        Map<String, List<Effect>> ofDead(String victim, List<String> tokens);
    }

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Timing timing;
    private final DeadSetBounds dead;
    private final int maxRecoveries;
    private final EffectSource effects;
    private final EntryReader reading;
    private final Holdings holdings;
    private final JobRecoveries recoveries;
    private final List<String> roles;

    /** For jobs that hold nothing else. */
    public ProcessLeases(
            RedisConnection connection,
            RedisKeys keys,
            Timing timing,
            DeadSetBounds dead,
            int maxRecoveries,
            EffectSource effects) {
        this(connection, keys, timing, dead, maxRecoveries, effects, (victim, tokens) -> Map.of());
    }

    /**
     * @param maxRecoveries number of recoveries within 72 hours that buries a job
     * @param effects supplies the effects of jobs that are {@code recovered} or {@code poisoned}
     * @param holdings supplies further ones of these
     */
    public ProcessLeases(
            RedisConnection connection,
            RedisKeys keys,
            Timing timing,
            DeadSetBounds dead,
            int maxRecoveries,
            EffectSource effects,
            Holdings holdings) {
        this(connection, keys, timing, dead, maxRecoveries, effects, holdings, List.of());
    }

    private ProcessLeases(
            RedisConnection connection,
            RedisKeys keys,
            Timing timing,
            DeadSetBounds dead,
            int maxRecoveries,
            EffectSource effects,
            Holdings holdings,
            List<String> roles) {
        LEAVE.digest(); // when it is needed, the jar that has it may have been replaced
        this.connection = connection;
        this.keys = keys;
        this.timing = timing;
        this.dead = dead;
        this.maxRecoveries = maxRecoveries;
        this.effects = effects;
        this.reading = new EntryReader(connection);
        this.holdings = holdings;
        this.recoveries = new JobRecoveries(connection, keys);
        this.roles = roles;
    }

    /**
     * The same for a process that stands for roles with its beats. One process at a time has a role, among those that
     * stand for it; it gets, keeps and loses it as the leader does the leadership.
     *
     * @param names of the roles
     */
    public ProcessLeases standingFor(List<String> names) {
        return new ProcessLeases(connection, keys, timing, dead, maxRecoveries, effects, holdings, List.copyOf(names));
    }

    /** The first beat of a new incarnation, which it needs before it can claim. */
    public Beat register(String incarnation, Duration leadFor) {
        return beat(incarnation, leadFor, true);
    }

    /**
     * A further beat.
     *
     * @param leadFor how long to be leader if there is no other, and likewise for each role; zero to resign
     */
    public Beat beat(String incarnation, Duration leadFor) {
        return beat(incarnation, leadFor, false);
    }

    private Beat beat(String incarnation, Duration leadFor, boolean register) {
        List<Object> answer = connection.call(
                BEAT, leadable(keys.beats(), keys.seen(), keys.round(), keys.inFlight(incarnation)), new byte[][] {
                    Bytes.of(incarnation),
                    Bytes.of(timing.lease().toMillis()),
                    Bytes.of(ROUNDS),
                    Bytes.of(register ? 1 : 0),
                    Bytes.of(leadFor.toMillis())
                });
        return switch (Bytes.text(answer.get(0))) {
            case "fenced" -> new Fenced();
            default ->
                new Alive(
                        (int) Bytes.number(answer.get(1)),
                        Instant.ofEpochSecond(Bytes.number(answer.get(2)), Bytes.number(answer.get(3)) * 1_000),
                        Bytes.text(answer.get(4)),
                        Bytes.list(answer.get(9)).stream()
                                .map(number -> roles.get((int) Bytes.number(number) - 1))
                                .collect(Collectors.toUnmodifiableSet()),
                        (int) Bytes.number(answer.get(5)),
                        Bytes.list(answer.get(6)).stream().map(Bytes::text).toList(),
                        Timing.beat(Duration.ofMillis(Bytes.number(answer.get(7)))),
                        Bytes.text(answer.get(8)));
        };
    }

    /** Those keys, then the leadership and the roles for which this process stands. */
    private byte[][] leadable(byte[]... first) {
        return Stream.of(
                        Stream.of(first),
                        Stream.of(keys.leader()),
                        roles.stream().map(keys::role))
                .flatMap(each -> each)
                .toArray(byte[][]::new);
    }

    /** Leaves. Returns the number of jobs that this incarnation still held: they will be reaped. */
    public int leave(String incarnation) {
        Long held = connection.callForOne(
                LEAVE,
                ScriptOutputType.INTEGER,
                leadable(keys.beats(), keys.seen(), keys.inFlight(incarnation)),
                new byte[][] {Bytes.of(incarnation)});
        return held.intValue();
    }

    /**
     * Hands on up to 100 jobs of a given-up process, fewer if they are large. Call it until it is finished or hands on
     * no jobs.
     */
    public Reaped reap(String victim) {
        String cursor = EntryReader.FIRST;
        int left = 0;
        while (true) {
            EntryReader.Step page = reading.scanHash(keys.inFlight(victim), cursor, CallBounds.JOBS);
            List<Orphan> orphans = orphans(victim, page);
            // A small hash is returned whole, whatever the bound, and effects are not bounded by the scan.
            List<List<Orphan>> parts =
                    orphans.isEmpty() ? List.of(orphans) : connection.bounds().cut(orphans, Orphan::bytesToSend);
            for (int i = 0; i < parts.size(); i++) { // jobs that can't be put back must not block the others
                Reaped reaped = reap(victim, parts.get(i));
                left += reaped.left();
                boolean moved = reaped.recovered() + reaped.poisoned().size() > 0;
                if (moved || reaped.finished() || page.isLast() && i == parts.size() - 1) {
                    return new Reaped(reaped.recovered(), reaped.poisoned(), left, reaped.finished());
                }
            }
            cursor = page.cursor();
        }
    }

    /**
     * A job of a process that was given up.
     *
     * @param explained the payload with the reason why it ended the process; empty if that is unknown
     */
    private record Orphan(byte[] token, String queue, byte[] payload, byte[] explained, List<Effect> effects) {

        int bytesToSend() {
            return token.length + queue.length() + explained.length + Effect.size(effects);
        }

        byte[] buried() {
            return explained.length == 0 ? payload : explained;
        }
    }

    private List<Orphan> orphans(String victim, EntryReader.Step page) {
        Map<String, Integer> indexes = new LinkedHashMap<>(); // a scan may return a job twice
        for (int i = 0; i < page.flat().size(); i += 2) {
            String token = Bytes.text(page.flat().get(i));
            if (!token.startsWith("#")) {
                indexes.put(token, i);
            }
        }
        if (indexes.isEmpty()) {
            return List.of();
        }
        Map<String, List<Effect>> held = holdings.ofDead(victim, List.copyOf(indexes.keySet()));
        Iterator<Optional<String>> reasons = recoveries
                .reasons(indexes.values().stream()
                        .map(i -> (byte[]) page.flat().get(i + 1))
                        .toList())
                .iterator();
        List<Orphan> orphans = new ArrayList<>();
        indexes.forEach((token, i) -> {
            byte[] payload = (byte[]) page.flat().get(i + 1);
            byte[] explained =
                    reasons.next().map(reason -> explained(payload, reason)).orElse(AS_IT_IS);
            List<Effect> all = new ArrayList<>(effects.of(payload));
            all.addAll(held.getOrDefault(token, List.of()));
            orphans.add(new Orphan((byte[]) page.flat().get(i), JobClaims.queueOf(token), payload, explained, all));
        });
        return orphans;
    }

    private static byte[] explained(byte[] payload, String reason) {
        int colon = reason.indexOf(": ");
        try {
            return Payload.parse(payload)
                    .with("error_class", colon < 0 ? reason : reason.substring(0, colon))
                    .with(
                            "error_message",
                            (colon < 0 ? "" : reason.substring(colon + 2) + "; ")
                                    + "its process ended, and the job outlived its workers too often")
                    .bytes();
        } catch (InvalidPayloadException e) {
            return AS_IT_IS;
        }
    }

    private Reaped reap(String victim, List<Orphan> orphans) {
        List<String> queues = new ArrayList<>();
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(victim),
                Bytes.of(maxRecoveries),
                Bytes.of(JobRecoveries.KEPT.toSeconds()),
                Bytes.of(dead.maxJobs()),
                Bytes.of(dead.retention().toSeconds()),
                Bytes.of(orphans.size())));
        List<String> tokens = new ArrayList<>();
        List<Poisoned> candidates = new ArrayList<>();
        EffectEncoder happening = new EffectEncoder(keys);
        for (Orphan orphan : orphans) {
            String queue = orphan.queue();
            boolean discard = notForTheDeadSet(orphan.payload());
            if (!queues.contains(queue)) {
                queues.add(queue);
            }
            arguments.add(orphan.token());
            arguments.add(Bytes.of(queues.indexOf(queue) + 1));
            arguments.add(Bytes.of(queue));
            arguments.add(Bytes.of(discard ? 1 : 0));
            arguments.add(orphan.explained());
            tokens.add(Bytes.text(orphan.token()));
            candidates.add(new Poisoned(queue, orphan.buried(), discard));
            happening.add(candidates.size(), orphan.effects());
        }
        List<byte[]> all = new ArrayList<>(List.of(
                keys.inFlight(victim),
                keys.beats(),
                keys.seen(),
                keys.ledger(),
                keys.recovered(),
                keys.recoveredTimes(),
                keys.dead(),
                keys.queues()));
        queues.forEach(queue -> all.add(keys.queue(queue)));
        happening.appendTo(all, arguments);
        List<Object> answer = connection.call(REAP, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
        if (answer.size() == 1) {
            return new Reaped(0, List.of(), 0, true); // another reaper finished it, or it was never given up
        }
        List<Poisoned> poisoned = new ArrayList<>();
        for (Object token : Bytes.list(answer.get(1))) {
            poisoned.add(candidates.get(tokens.indexOf(Bytes.text(token))));
        }
        return new Reaped(
                (int) Bytes.number(answer.get(0)),
                poisoned,
                Bytes.list(answer.get(2)).size(),
                Bytes.number(answer.get(3)) == 1);
    }

    private static boolean notForTheDeadSet(byte[] payload) {
        try {
            return Boolean.FALSE.equals(Payload.parse(payload).get("dead"));
        } catch (InvalidPayloadException e) {
            return false;
        }
    }

    /**
     * Gives a process up that is missing in beats although it has an in-flight hash, as after an eviction or a deletion
     * by hand. Returns whether it was given up now.
     */
    public boolean condemn(String incarnation) {
        Long given = connection.callForOne(
                CONDEMN,
                ScriptOutputType.INTEGER,
                new byte[][] {keys.inFlight(incarnation), keys.beats()},
                new byte[][] {Bytes.of(incarnation)});
        return given == 1;
    }

    /** Begins a search for processes that hold jobs and are missing in beats. */
    public UnknownProcesses seekUnknown() {
        return new UnknownProcesses(this, new KeyScan(connection, keys.prefix() + keys.inFlightPrefix(), 1_000));
    }

    /** The given-up processes that are not yet forgotten. */
    public List<String> givenUp() {
        List<ScoredValue<byte[]>> members = connection.run(commands -> commands.zrangeWithScores(keys.beats(), 0, -1));
        return members.stream()
                .filter(member -> member.getScore() < 0)
                .map(member -> Bytes.text(member.getValue()))
                .toList();
    }

    /**
     * A search for processes that hold jobs and are missing in beats. Goes through the names of all keys of the server, so
     * one process does it for all, in steps. Confined to one thread.
     */
    public static final class UnknownProcesses {

        private final ProcessLeases leases;
        private final KeyScan scan;

        UnknownProcesses(ProcessLeases leases, KeyScan scan) {
            this.leases = leases;
            this.scan = scan;
        }

        /** Looks at about a thousand keys. Returns the processes that it gave up. */
        public List<String> condemnSome() {
            return scan.next().stream().filter(leases::condemn).toList();
        }

        /** Whether it has looked at all keys. */
        public boolean isFinished() {
            return scan.isFinished();
        }
    }
}
