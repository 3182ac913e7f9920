package dev.jobs.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a worker has in Redis, and the time that Redis tells it. Opens its connection at the first use. */
final class WorkerState implements AutoCloseable {

    /** Reads all of it in one step: a job that moves in between is seen in one place. */
    private static final String UNFINISHED = """
            local prefix, now, found = ARGV[1], ARGV[2], {}
            local function add(number, place)
              if number > 0 then found[#found + 1] = number .. ' ' .. place end
            end
            for _, name in ipairs(redis.call('SMEMBERS', prefix .. 'queues')) do
              local list, set = prefix .. 'queue:' .. name, prefix .. 'jobs:order:' .. name
              add(redis.call('LLEN', list) + redis.call('ZCARD', set), 'in queue ' .. name)
            end
            add(redis.call('ZCOUNT', prefix .. 'schedule', '-inf', now), 'due in the scheduled set')
            add(redis.call('ZCOUNT', prefix .. 'retry', '-inf', now), 'due in the retry set')
            add(redis.call('ZCOUNT', prefix .. 'jobs:batches:rest', '-inf', now), 'ended batches')
            for _, id in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'jobs:wake', '-inf', now)) do
              local limit, key = string.match(id, '^([^\\n]*)\\n(.*)$')
              if limit then
                local from, to = '[' .. key .. '\\n', '(' .. key .. '\\11'
                local parked = redis.call('ZLEXCOUNT', prefix .. 'jobs:parked:' .. limit, from, to)
                add(parked, 'parked at limit ' .. limit .. ', of which the next one is due')
              end
            end
            local held = 0
            for _, key in ipairs(redis.call('KEYS', prefix .. 'jobs:in:*')) do
              for _, token in ipairs(redis.call('HKEYS', key)) do
                if string.sub(token, 1, 1) ~= '#' then held = held + 1 end
              end
            end
            add(held, 'running')
            return found
            """;

    /**
     * The time of the scripts, what expires until then, and keys whose change wakes the worker's pollers. Keys that are
     * signs of life, such as the leader's, go by real time: the worker lives on while time is advanced.
     */
    private static final String ADVANCE = """
            local prefix, millis = ARGV[1], tonumber(ARGV[2])
            redis.call('SET', 'jobs:test:clock', ARGV[3])
            for _, kept in ipairs({
              'it-*', 'j|*', 'h|*', '*-marks', 'stat:*', 'jobs:batch*', 'jobs:trash*', 'jobs:result:*', 'jobs:log:*',
              'jobs:progress:*', 'unique:*', 'jobs:twin:*', 'jobs:limiter:*'
            }) do
              for _, key in ipairs(redis.call('KEYS', prefix .. kept)) do
                local left = redis.call('PTTL', key)
                if left > millis then redis.call('PEXPIRE', key, left - millis)
                elseif left >= 0 then redis.call('DEL', key) end
              end
            end
            for _, set in ipairs({'schedule', 'jobs:batches:rest'}) do
              redis.call('ZADD', prefix .. set, 0, 'jobs-test')
              redis.call('ZREM', prefix .. set, 'jobs-test')
            end
            redis.call('SET', prefix .. 'cron_job:' .. ARGV[4] .. ':jobs-test', '')
            redis.call('DEL', prefix .. 'cron_job:' .. ARGV[4] .. ':jobs-test')
            return 0
            """;

    private static final String REMOVE = """
            for _, kind in ipairs({
              'queue:*', 'jobs:order:*', 'jobs:tags:*', 'jobs:parked:*', 'schedule', 'retry', 'dead', 'jobs:trash*'
            }) do
              for _, key in ipairs(redis.call('KEYS', ARGV[1] .. kind)) do redis.call('DEL', key) end
            end
            return 0
            """;

    /**
     * What people set stays, such as the size of a limiter. So does the empty member of jobs:wake, which lets the
     * leader look at all limits: a worker adds it only once.
     */
    private static final String FORGET = """
            local prefix = ARGV[1]
            for _, kind in ipairs({'unique:*', 'jobs:twin:*', 'jobs:permits:*', 'jobs:rate', 'jobs:batch*'}) do
              for _, key in ipairs(redis.call('KEYS', prefix .. kind)) do redis.call('DEL', key) end
            end
            for _, id in ipairs(redis.call('ZRANGE', prefix .. 'jobs:wake', 0, -1)) do
              if id ~= '' then redis.call('ZREM', prefix .. 'jobs:wake', id) end
            end
            for _, key in ipairs(redis.call('KEYS', prefix .. 'jobs:limiter:*')) do
              if redis.call('TYPE', key)['ok'] == 'hash' and redis.call('HEXISTS', key, 'wins') == 1 then
                redis.call('HDEL', key, 'at', 'n', 'turn')
              else
                redis.call('DEL', key)
              end
            end
            return 0
            """;

    private final RedisConnection redis;
    private final RedisKeys keys;
    private final String namespace;

    /**
     * @param redis those of client and worker
     * @param namespace of the recurring jobs
     */
    WorkerState(RedisConnections redis, String namespace) {
        this.redis = redis.open("jobs-test");
        this.keys = redis.keys();
        this.namespace = namespace;
    }

    /** @param more what follows the prefix of the keys */
    private <T> T eval(String script, ScriptOutputType type, String... more) {
        byte[][] arguments = Stream.concat(Stream.of(keys.prefix()), Stream.of(more))
                .map(each -> each.getBytes(UTF_8))
                .toArray(byte[][]::new);
        return redis.run(commands -> commands.eval(script, type, new byte[0][], arguments));
    }

    /** Jobs that are due, wait in a queue, may be parked no longer, or run: a number and a place each. */
    List<String> unfinished(Instant now) {
        List<byte[]> found = eval(UNFINISHED, ScriptOutputType.MULTI, seconds(now));
        return found.stream().map(each -> new String(each, UTF_8)).toList();
    }

    private static String seconds(Instant time) {
        return String.format(Locale.ROOT, "%d.%06d", time.getEpochSecond(), time.getNano() / 1_000);
    }

    /** When the next job is due, or parked ones may go on; null if none waits for a later time. */
    @Nullable Instant nextDue(Instant now) {
        Range<Double> later = Range.from(Boundary.excluding(Double.valueOf(seconds(now))), Boundary.unbounded());
        List<Double> scores = new ArrayList<>();
        for (byte[] set : List.of(keys.schedule(), keys.retry(), keys.wake())) {
            List<ScoredValue<byte[]>> next =
                    redis.run(commands -> commands.zrangebyscoreWithScores(set, later, Limit.from(2)));
            next.stream()
                    .filter(each -> each.getValue().length > 0) // the look at all limits, once a minute
                    .forEach(each -> scores.add(each.getScore()));
        }
        return scores.stream()
                .min(Double::compare)
                .map(score -> Instant.EPOCH.plus((long) Math.ceil(score * 1e6), ChronoUnit.MICROS))
                .orElse(null);
    }

    /** Whether the slot of a recurring job was taken. */
    boolean isTaken(String recurringJob, Instant slot) {
        byte[] slots = keys.key("cron_job:" + namespace + ":" + recurringJob + ":enqueued");
        byte[] time = slot.toString().getBytes(UTF_8);
        return redis.<@Nullable Double>run(commands -> commands.zscore(slots, time)) != null;
    }

    /**
     * Advances the time of the scripts.
     *
     * @param by since the last call
     * @param ahead how far it is ahead of real time now
     */
    void advance(Duration by, Duration ahead) {
        eval(
                ADVANCE,
                ScriptOutputType.INTEGER,
                String.valueOf(by.toMillis()),
                ahead.getSeconds() + " " + ahead.getNano() / 1_000,
                namespace);
    }

    /** The lines that a job has logged, as far as they are kept. */
    List<String> log(String jid) {
        byte[] lines = keys.key("jobs:log:" + jid);
        return redis.run(commands -> commands.lrange(lines, 0, -1)).stream()
                .map(line -> new String(line, UTF_8).replaceFirst("^(\\d+ ){3}", ""))
                .toList();
    }

    /** Removes all jobs that don't run. */
    void removeJobs() {
        eval(REMOVE, ScriptOutputType.INTEGER);
    }

    /**
     * Forgets what jobs that are gone still mean for new ones: locks, throttles, the uses of limits and limiters, and
     * batches. None may run.
     */
    void forgetEffects() {
        eval(FORGET, ScriptOutputType.INTEGER);
    }

    @Override
    public void close() {
        redis.close();
    }
}
