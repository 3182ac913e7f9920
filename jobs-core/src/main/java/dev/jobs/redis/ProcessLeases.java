package dev.jobs.redis;

import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.redis.JobClaims.InFlightEntry;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who lives, and what becomes of the jobs of those who don't. Thread-safe. */
public final class ProcessLeases {

    private static final int REAP_BATCH = 100;
    private static final Duration RECOVERIES_KEPT = Duration.ofHours(72);

    /** Rounds in a lease, where no other process has a shorter one. */
    static final int ROUNDS = 6;

    /**
     * The timing of beats and rounds that follows from a lease L: rounds at least R = L/6 apart, a beat little more seldom than that, since a beat
     * that comes too early for a round makes it wait for the next one; given up after six rounds without a beat. Where others have shorter
     * leases, both follow from the shortest, and it takes more rounds.
     */
    public record Timing(Duration lease) {

        public Duration beat() {
            return beat(round());
        }

        private static Duration beat(Duration round) {
            return round.multipliedBy(105).dividedBy(100);
        }

        Duration round() {
            return Duration.ofMillis((lease.toMillis() + ROUNDS - 1) / ROUNDS);
        }

        /** A process without a fresh beat for so long starts no job. */
        public Duration fresh() {
            return lease.multipliedBy(6).dividedBy(10);
        }
    }

    /** What a beat told. */
    public sealed interface Beat {}

    /**
     * @param held jobs that Redis says this incarnation holds
     * @param serverTime the server's clock
     * @param leader the identity of the leader, or empty
     * @param processes live processes
     * @param reap processes that were given up and are to be reaped
     * @param beat how long after this beat the next one has to come at the latest, so that those with the shortest lease are noticed in time
     * @param since tells data that Redis lost from those that it has now
     */
    public record Alive(
            int held, Instant serverTime, String leader, int processes, List<String> reap, Duration beat, String since)
            implements Beat {}

    /** This incarnation was given up, and its jobs run elsewhere; or Redis lost its data. */
    public record Fenced() implements Beat {}

    /** A job that outlived its worker once too often and was buried. */
    public record Poisoned(String queue, byte[] payload, boolean discarded) {}

    /**
     * @param recovered jobs that were put back into their queues
     * @param left jobs that stay where they are because the key of their queue is no list
     * @param finished whether the victim holds nothing any more and is forgotten
     */
    public record Reaped(int recovered, List<Poisoned> poisoned, int left, boolean finished) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Timing timing;
    private final DeadSetLimits dead;
    private final int maxRecoveries;
    private final EffectSource effects;
    private final EntryReader reading;

    /**
     * @param maxRecoveries recoveries within 72 hours that bury a job
     * @param effects what else happens to a job that is handed on, as {@code recovered} or {@code poisoned}
     */
    public ProcessLeases(
            RedisConnection connection,
            RedisKeys keys,
            Timing timing,
            DeadSetLimits dead,
            int maxRecoveries,
            EffectSource effects) {
        this.connection = connection;
        this.keys = keys;
        this.timing = timing;
        this.dead = dead;
        this.maxRecoveries = maxRecoveries;
        this.effects = effects;
        this.reading = new EntryReader(connection);
    }

    /** The first beat of a new incarnation; only after it may it claim. */
    public Beat register(String incarnation, Duration leadFor) {
        return beat(incarnation, leadFor, true);
    }

    /**
     * A further beat.
     *
     * @param leadFor how long to be leader if there is no other; zero to resign
     */
    public Beat beat(String incarnation, Duration leadFor) {
        return beat(incarnation, leadFor, false);
    }

    private Beat beat(String incarnation, Duration leadFor, boolean register) {
        List<Object> answer = connection.call(
                LuaScript.BEAT,
                new byte[][] {keys.beats(), keys.seen(), keys.round(), keys.inFlight(incarnation), keys.leader()},
                new byte[][] {
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
                        (int) Bytes.number(answer.get(5)),
                        Bytes.list(answer.get(6)).stream().map(Bytes::text).toList(),
                        Timing.beat(Duration.ofMillis(Bytes.number(answer.get(7)))),
                        Bytes.text(answer.get(8)));
        };
    }

    /** Leaves the living. Returns how many jobs this incarnation still held: they will be reaped. */
    public int leave(String incarnation) {
        Long held = connection.callForOne(
                LuaScript.LEAVE,
                ScriptOutputType.INTEGER,
                new byte[][] {keys.beats(), keys.seen(), keys.inFlight(incarnation), keys.leader()},
                new byte[][] {Bytes.of(incarnation)});
        return held.intValue();
    }

    /** Hands on up to a hundred jobs of a process that was given up, fewer if they are large; to be called until it is finished or hands on none. */
    public Reaped reap(String victim) {
        String cursor = EntryReader.FIRST;
        int left = 0;
        while (true) {
            EntryReader.Step page = reading.scanHash(keys.inFlight(victim), cursor, REAP_BATCH);
            List<Map.Entry<byte[], byte[]>> jobs = jobs(page);
            int next = 0;
            do {
                // A small hash comes whole whatever the limit says.
                int end = Math.min(next + REAP_BATCH, jobs.size());
                Reaped reaped = reap(victim, jobs.subList(next, end));
                left += reaped.left();
                boolean moved = reaped.recovered() + reaped.poisoned().size() > 0;
                if (moved || reaped.finished() || page.isLast() && end == jobs.size()) {
                    return new Reaped(reaped.recovered(), reaped.poisoned(), left, reaped.finished());
                }
                next = end;
            } while (next < jobs.size()); // what can't be put back must not keep the rest from it
            cursor = page.cursor();
        }
    }

    private static List<Map.Entry<byte[], byte[]>> jobs(EntryReader.Step page) {
        Map<String, Map.Entry<byte[], byte[]>> jobs = new LinkedHashMap<>(); // one may be found twice
        for (int i = 0; i < page.flat().size(); i += 2) {
            byte[] token = (byte[]) page.flat().get(i);
            if (!Bytes.text(token).startsWith("#")) {
                jobs.put(
                        Bytes.text(token), Map.entry(token, (byte[]) page.flat().get(i + 1)));
            }
        }
        return List.copyOf(jobs.values());
    }

    private Reaped reap(String victim, List<Map.Entry<byte[], byte[]>> jobs) {
        List<String> queues = new ArrayList<>();
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(victim),
                Bytes.of(maxRecoveries),
                Bytes.of(RECOVERIES_KEPT.toSeconds()),
                Bytes.of(dead.maxJobs()),
                Bytes.of(dead.retention().toSeconds()),
                Bytes.of(jobs.size())));
        List<String> tokens = new ArrayList<>();
        List<Poisoned> candidates = new ArrayList<>();
        EffectEncoder happening = new EffectEncoder();
        for (Map.Entry<byte[], byte[]> entry : jobs) {
            InFlightEntry held = InFlightEntry.parse(entry.getValue());
            boolean discard = notForTheDeadSet(held.payload());
            if (!queues.contains(held.queue())) {
                queues.add(held.queue());
            }
            arguments.add(entry.getKey());
            arguments.add(Bytes.of(queues.indexOf(held.queue()) + 1));
            arguments.add(Bytes.of(held.queue()));
            arguments.add(Bytes.of(discard ? 1 : 0));
            tokens.add(Bytes.text(entry.getKey()));
            candidates.add(new Poisoned(held.queue(), held.payload(), discard));
            happening.add(candidates.size(), effects.of(held.payload()));
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
        List<Object> answer =
                connection.call(LuaScript.REAP, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
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

    /** Gives up the owners of in-flight hashes whom nobody knows. Looks at all keys, so seldom. Returns how many there were. */
    public int condemnUnknown() {
        String prefix = keys.prefix() + keys.inFlightPrefix();
        ScanArgs matching = ScanArgs.Builder.matches(escapeGlob(prefix) + "*").limit(1_000);
        int condemned = 0;
        ScanCursor cursor = ScanCursor.INITIAL;
        do {
            ScanCursor from = cursor;
            KeyScanCursor<byte[]> page = connection.run(commands -> commands.scan(from, matching));
            for (byte[] key : page.getKeys()) {
                String incarnation = Bytes.text(key).substring(prefix.length());
                Long given = connection.callForOne(
                        LuaScript.CONDEMN, ScriptOutputType.INTEGER, new byte[][] {key, keys.beats()}, new byte[][] {
                            Bytes.of(incarnation)
                        });
                condemned += given.intValue();
            }
            cursor = page;
        } while (!cursor.isFinished());
        return condemned;
    }

    private static String escapeGlob(String text) {
        return text.replaceAll("([\\\\*?\\[\\]^-])", "\\\\$1");
    }

    /** The processes that were given up and are not yet forgotten. */
    public List<String> givenUp() {
        List<ScoredValue<byte[]>> members = connection.run(commands -> commands.zrangeWithScores(keys.beats(), 0, -1));
        return members.stream()
                .filter(member -> member.getScore() < 0)
                .map(member -> Bytes.text(member.getValue()))
                .toList();
    }
}
