package dev.jobs.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.jobs.iterations.IterationStore;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.limits.Permits;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.Ledger;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScriptOutputType;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A Redis, processes on it that a test drives, and a plain view of what is stored. Text stands for bytes here, one
 * character for each byte, so bytes that are no UTF-8 are preserved.
 */
public final class ScriptTestBed implements BeforeEachCallback, AutoCloseable {

    public static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-21T08:00:00Z"), ZoneOffset.UTC);
    static final String DAY = "2026-11-21";
    public static final Timing TIMING = new Timing(Duration.ofSeconds(20));
    public static final DeadSetBounds LIMITS = new DeadSetBounds(10_000, Duration.ofDays(180));
    public static final int MAX_RECOVERIES = 3;
    public static final int SUSPICIOUS = 2;

    /** The hash of what {@link #count} counts. */
    public static final String HAPPENED = "happened";

    private static final String EVERYTHING = """
            local all = {}
            for _, key in ipairs(redis.call('KEYS', '*')) do
              local type = redis.call('TYPE', key)['ok']
              local value
              if type == 'list' then value = redis.call('LRANGE', key, 0, -1)
              elseif type == 'set' then value = redis.call('SMEMBERS', key)
              elseif type == 'hash' then value = redis.call('HGETALL', key)
              elseif type == 'zset' then value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
              else value = {redis.call('GET', key)} end
              all[#all + 1] = {key, type, value}
            end
            return all
            """;

    public final RedisFixture redis;
    public final RedisKeys keys;
    public final RedisConnection connection;
    private final Random random = new Random(1);
    private final List<RedisConnection> opened = new ArrayList<>();

    public ScriptTestBed(String... options) {
        this(RedisFixture.start(options), "");
    }

    private ScriptTestBed(RedisFixture redis, String prefix) {
        this(redis, redis.connections(prefix));
    }

    public ScriptTestBed(RedisFixture redis, RedisConnections connections) {
        this.redis = redis;
        this.keys = connections.keys();
        this.connection = connections.open("test");
        opened.add(connection);
    }

    /** A process that has not registered yet. */
    public Worker worker(String id) {
        return worker(id, LIMITS, TIMING);
    }

    public Worker worker(String id, DeadSetBounds dead, Timing timing) {
        return new Worker(id, new JobClaims(connection, keys, CLOCK, dead, SUSPICIOUS), leases(dead, timing), 0);
    }

    /** A process that has made exchanges on line 0 before. */
    public Worker worker(String id, long exchanges) {
        return new Worker(id, new JobClaims(connection, keys, CLOCK, LIMITS, SUSPICIOUS), leases(), exchanges);
    }

    public ProcessLeases leases() {
        return leases(LIMITS, TIMING);
    }

    ProcessLeases leases(DeadSetBounds dead, Timing timing) {
        return new ProcessLeases(
                connection,
                keys,
                timing,
                dead,
                MAX_RECOVERIES,
                EffectSource.NONE,
                new Permits(connection, keys)::ofDead);
    }

    /** Searches all keys for processes that nobody knows. Returns how many were given up. */
    static int condemnUnknown(ProcessLeases leases) {
        ProcessLeases.UnknownProcesses sought = leases.seekUnknown();
        int found = 0;
        while (!sought.isFinished()) {
            found += sought.condemnSome().size();
        }
        return found;
    }

    int condemnUnknown() {
        return condemnUnknown(leases());
    }

    /** Leases that count the outcomes of the jobs that they hand on. */
    ProcessLeases countingLeases() {
        return new ProcessLeases(
                connection,
                keys,
                TIMING,
                LIMITS,
                MAX_RECOVERIES,
                stored -> List.of(count("recovered", "recovered"), count("poisoned", "poisoned")),
                new Permits(connection, keys)::ofDead);
    }

    public JobSets sets() {
        return sets(EffectSource.NONE);
    }

    public JobSets sets(EffectSource effects) {
        return new JobSets(connection, keys, LIMITS, effects);
    }

    public ClearedQueues clearing(EffectSource effects) {
        return new ClearedQueues(connection, keys, sets(effects), random);
    }

    /** An ack that also removes the stored iteration of the job. */
    public Settlement end(String token, String jid) {
        return Settlement.done(token).with(List.of(new IterationStore(connection, keys).removal(jid)));
    }

    /** Counts in a hash how often a settlement or a move happened. */
    public static Effect count(String field) {
        return count(field, "");
    }

    /** Counts only this outcome of the job. */
    public static Effect count(String field, String outcome) {
        return new Effect("count", Bytes.of(HAPPENED), outcome, List.of(Bytes.of(field)));
    }

    /** The counts of {@link #count} by field. */
    public SortedMap<String, String> happened() {
        return hash(Bytes.of(HAPPENED));
    }

    public Ledger.Totals books() {
        return new Ledger(connection, keys).read();
    }

    /** The name of a key with the prefix. */
    public String key(String name) {
        return keys.prefix() + name;
    }

    public static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    public static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    public static String sha1(String payload) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes(payload)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Pushes jobs as any producer does: the first one is taken first. */
    public void push(String queue, String... payloads) {
        byte[][] values = new byte[payloads.length][];
        for (int i = 0; i < payloads.length; i++) {
            values[i] = bytes(payloads[i]);
        }
        redis.bytes().lpush(keys.queue(queue), values);
    }

    /** The jobs of a queue; the one that is taken next comes first. */
    public List<String> queue(String name) {
        List<String> jobs = list(keys.queue(name));
        Collections.reverse(jobs);
        return jobs;
    }

    /** The members of a sorted set in their order. */
    public List<String> members(String name) {
        return new ArrayList<>(redis.bytes().zrange(Bytes.of(key(name)), 0, -1).stream()
                .map(ScriptTestBed::text)
                .toList());
    }

    /** The payloads in the in-flight hash of a process, by token. */
    public SortedMap<String, String> inFlight(String incarnation) {
        SortedMap<String, String> held = new TreeMap<>();
        hash(keys.inFlight(incarnation)).forEach((token, entry) -> {
            if (!token.startsWith("#")) {
                held.put(token, entry);
            }
        });
        return held;
    }

    /** Makes the next beat find a round due, as if the last one were long ago. */
    public void letARoundBeDue() {
        redis.bytes().del(keys.round());
    }

    /** The server's clock in epoch seconds. */
    public double now() {
        List<String> time = redis.texts().time();
        return Double.parseDouble(time.get(0)) + Double.parseDouble(time.get(1)) / 1e6;
    }

    /** What is stored, without the timer of miss rounds, which expires by itself, and without expiry times. */
    public SortedMap<String, Object> stored() {
        SortedMap<String, Object> all = everything();
        all.remove(key("jobs:round"));
        return all;
    }

    /** Everything that is stored, expiry times left out. */
    public SortedMap<String, Object> everything() {
        SortedMap<String, Object> all = new TreeMap<>();
        List<Object> entries = redis.bytes().eval(EVERYTHING, ScriptOutputType.MULTI);
        for (Object entry : entries) {
            List<Object> parts = Bytes.list(entry);
            List<String> values = Bytes.list(parts.get(2)).stream()
                    .map(value -> text((byte[]) value))
                    .toList();
            all.put(text((byte[]) parts.get(0)), value(Bytes.text(parts.get(1)), values));
        }
        return all;
    }

    private static Object value(String type, List<String> values) {
        SortedMap<String, Object> pairs = new TreeMap<>();
        for (int i = 0; i + 1 < values.size(); i += 2) {
            pairs.put(values.get(i), type.equals("zset") ? Double.valueOf(values.get(i + 1)) : values.get(i + 1));
        }
        return switch (type) {
            case "list" -> values;
            case "set" -> new TreeSet<>(values);
            case "hash", "zset" -> pairs;
            default -> values.get(0);
        };
    }

    private List<String> list(byte[] key) {
        return new ArrayList<>(redis.bytes().lrange(key, 0, -1).stream()
                .map(ScriptTestBed::text)
                .toList());
    }

    private SortedMap<String, String> hash(byte[] key) {
        SortedMap<String, String> fields = new TreeMap<>();
        redis.bytes().hgetall(key).forEach((field, value) -> fields.put(text(field), text(value)));
        return fields;
    }

    /** A registered one is empty when a test begins. */
    @Override
    public void beforeEach(ExtensionContext test) {
        clear();
    }

    /** Removes all data; cached scripts stay. */
    public void clear() {
        redis.flush();
    }

    /** From now on Redis refuses every command that may need memory. */
    public void fill() {
        redis.texts().configSet("maxmemory", "1");
    }

    /** Reverts {@link #fill}. */
    public void drain() {
        redis.texts().configSet("maxmemory", "0");
    }

    @Override
    public void close() {
        opened.forEach(RedisConnection::close);
        redis.close();
    }
}
