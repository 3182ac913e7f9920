package dev.jobs.dashboard.assembly;

import static java.util.stream.Collectors.joining;

import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.databases.Database;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/** More than an installation should ever have, of everything that pages show. */
final class Volume {

    static final int JOBS = 1_000_000;
    static final int RETRIES = 100_000;
    static final int QUEUES = 5_000;
    static final int PROCESSES = 300;

    /** A batch of half a million jobs. */
    static final String BATCH = "0000000000000bb8";

    private static final String JOB = """
            local job = '{"class":"Jobs.sell","args":["x"],"queue":"default","created_at":1795237556186,"enqueued_at":1795237556186,'
            """;

    private static final String WAITING = JOB + """
            redis.call('SADD', 'queues', 'default')
            for i = 1, 1000000 / part do redis.call('LPUSH', 'queue:default', job .. '"jid":"q' .. i .. '"}') end
            for i = 1, 100000 do
              redis.call('ZADD', 'retry', 4000000000 + i % 1000, job .. '"failed_at":1795237556186,"retry_count":1,"error_class":"E'
                .. i % 3 .. '","error_message":"m","jid":"r' .. i .. '"}')
              redis.call('ZADD', 'schedule', 4000000000 + i, job .. '"jid":"s' .. i .. '"}')
              redis.call('ZADD', 'dead', 1795237556, job .. '"jid":"d' .. i .. '"}')
              redis.call('ZADD', 'jobs:order:ordered', math.floor(i / 100) * 1000, job .. '"order_key":"tenant-' .. i % 100
                .. '","jid":"o' .. i .. '"}')
            end
            redis.call('SADD', 'queues', 'ordered')
            local large = '{"class":"Large","args":["' .. string.rep('x', 200000) .. '"],"enqueued_at":1795237556186}'
            for i = 1, 60 do
              redis.call('SADD', 'queues', 'large' .. i)
              redis.call('LPUSH', 'queue:large' .. i, large)
            end
            for i = 1, 4938 do
              redis.call('SADD', 'queues', 'tenant-' .. i)
              redis.call('LPUSH', 'queue:tenant-' .. i, job .. '"jid":"t' .. i .. '"}', job .. '"jid":"u' .. i .. '"}')
            end
            for i = 1, 3000 do
              if i < 4 or i % part == 0 then
                local id = string.format('%016x', i)
                redis.call('ZADD', 'jobs:batches', i, id)
                redis.call('HSET', 'jobs:batch:' .. id, 'total', 500000, 'fresh', 250000, 'ok', 239999, 'failed', 10001, 'open', 0,
                  'created', 1795237556186)
                redis.call('HSET', 'jobs:batch:' .. id .. ':d', 'name', 'Export', 'callback:2', large)
              end
            end
            local last = 'jobs:batch:0000000000000bb8'
            redis.call('SET', last .. ':s', string.rep('q', 250000) .. string.rep('s', 239999) .. string.rep('f', 10001))
            for i = 489999, 499999 do redis.call('HSET', last .. ':j', 'm' .. i, '"Product ' .. i .. ' is not sold here"') end
            """;

    /** Each with forty jobs that it knows, and five that it runs; every tenth serves a queue of its own too. */
    private static final String WORKERS = JOB + """
            local now = redis.call('TIME')[1]
            local names, shapes = {'Jobs.sell'}, {'Jobs.sell|1|0123456789abcdef'}
            for i = 1, 40 do
              names[#names + 1] = 'Jobs.number' .. i
              shapes[#shapes + 1] = 'Jobs.number' .. i .. '|2|0123456789abcdef'
            end
            local large = string.rep('x', 200000)
            for i = 1, 300 do
              local id = 'worker-7d9f8b6c5d-' .. i .. ':1:0123456789ab'
              redis.call('SADD', 'processes', id)
              local own = i % 10 == 0 and ',"tenant-' .. i .. '":1' or ''
              redis.call('HSET', id, 'info', '{"hostname":"worker-7d9f8b6c5d-' .. i .. '","pid":1,"tag":"shop","labels":["eu-west"],'
                .. '"started_at":1795237556,"identity":"' .. id .. '","version":"jobs-0.1.0","embedded":false,"capsules":{"default":'
                .. '{"concurrency":10,"mode":"weighted","weights":{"default":3,"large1":1,"tenant-1":1' .. own .. '}}}}',
                'concurrency', '10', 'busy', '5', 'beat', now, 'rtt_us', '200', 'quiet', 'false', 'rss', '409600',
                'jobs', table.concat(names, '\\n'), 'shapes', table.concat(shapes, '\\n'))
              for t = 1, 5 do
                redis.call('HSET', id .. ':work', 't' .. t, '{"queue":"default","run_at":' .. now - i .. ',"payload":"'
                  .. string.gsub(job .. '"jid":"w' .. i .. '-' .. t .. '"' .. (t == 5 and i % 100 == 0 and ',"x":"' .. large .. '"'
                  or '') .. '}', '"', '\\\\"') .. '"}')
              end
            end
            """;

    /** Limits with parked jobs, limiters, locks, recurring jobs. */
    private static final String HELD = JOB + """
            for i = 1, 100 do redis.call('HSET', 'jobs:limits', 'd:limit-' .. i, '5') end
            redis.call('HSET', 'jobs:limits', 'd:erp', '1')
            for i = 1, 20000 do
              redis.call('ZADD', 'jobs:parked:erp', 0, string.format('shop %d\\n%016d\\ndefault\\n1\\n', i % 500, 1795237556186 + i)
                .. job .. '"jid":"p' .. i .. '"}')
              redis.call('SET', 'unique:' .. string.format('%043d', i), 'q' .. i, 'EX', 86400)
            end
            for i = 1, 500 do
              redis.call('ZADD', 'jobs:permits:erp', 0, 'shop ' .. i % 500 .. '\\nworker:1:0123456789ab\\n' .. i)
            end
            for i = 1, 2000 do
              redis.call('HSET', 'jobs:limiter:window:api-' .. i, 'size', 100, 'unit', 3600000000, 'at', '1795237556186000.000', 'n', 1)
            end
            for i = 1, 1000 do
              local key = 'cron_job:default:nightly-' .. i
              redis.call('SADD', 'cron_jobs:default', key)
              redis.call('HSET', key, 'name', 'nightly-' .. i, 'namespace', 'default', 'klass', 'Jobs.sell', 'cron', '0 3 * * *',
                'args', '["x"]', 'message', '{"class":"Jobs.sell","args":["x"],"queue":"tenant-4000"}', 'status', 'enabled')
            end
            """;

    /** Ten minutes of three days, each with a hundred jobs and a hundred queues. */
    private static final String TIMES = """
            local minutes = math.floor(redis.call('TIME')[1] / 60)
            for ago = 0, 431 do
              local days, rest = math.floor((minutes / 10 - ago) / 144), math.floor(minutes / 10 - ago) % 144
              for i = 1, 100 do
                redis.call('HSET', 'jobs:times:' .. day[days] .. '|' .. math.floor(rest / 6) .. ':' .. rest % 6,
                  'jJob' .. i, '0:100 5:3 26:90 31:13 52:2', 'qqueue' .. i, '0:100 5:3 26:90 31:13 52:2')
              end
            end
            """;

    private static final String HISTORY = """
            insert into jobs_task (id, name, state, total, waiting, retrying, succeeded, failed, dead, skipped, lost, created_at, version, pause)
              select 'h' || x, 'Export', 'FINISHED', 0, 0, 0, 0, 0, 0, 0, 0, dateadd(second, x, timestamp '2026-01-01 00:00:00'), '', 0
              from system_range(1, 5000);
            insert into jobs_task_tag select 'h' || x, 'seller:' || mod(x, 10) from system_range(1, 5000);
            insert into jobs_event (job_id, task_id, idx, job, queue, status, params, messages, attempts, created_at, ended_at)
              select 'e' || x, 'h' || mod(x, 5000), x, 'Jobs.sell', 'default', case when mod(x, 2) = 0 then 'FAILED' else 'SUCCEEDED' end,
                '[1]', '["Product ' || x || ' is not sold here"]', 1, timestamp '2026-01-01 00:00:00',
                dateadd(second, x, timestamp '2026-01-01 00:00:00')
              from system_range(100001 - 100000 / %d, 100000);
            """;

    private Volume() {}

    /**
     * Fills Redis and the database. The trash has what the dashboard deletes of the scheduled set.
     *
     * @param part divides what takes long: the jobs that wait, the batches, and the jobs of the history
     */
    static void fill(RunningDashboard dashboard, int part) {
        dashboard.bean(Database.class).execute(HISTORY.formatted(part));
        StringRedisTemplate redis = dashboard.redis();
        List.of("local part = " + part + "\n" + WAITING, WORKERS, HELD, days() + TIMES)
                .forEach(script -> redis.execute(RedisScript.of(script), List.of()));
        redis.opsForValue().set("jobs:progress:q1", "17 40 1795237556186");
        while (count(redis, "jobs:trash") < 9_000) {
            dashboard.post("/api/jobs/delete", Map.of("place", "scheduled", "matching", Map.of()));
        }
    }

    private static long count(StringRedisTemplate redis, String set) {
        Long count = redis.opsForZSet().size(set);
        return count == null ? 0 : count;
    }

    /** Lua has no calendar, so the names of the last days are made here. */
    private static String days() {
        DateTimeFormatter name = DateTimeFormatter.ofPattern("yyMMdd", Locale.ROOT);
        long today = LocalDate.now(ZoneOffset.UTC).toEpochDay();
        return "local day = {"
                + LongStream.rangeClosed(today - 4, today + 1)
                        .mapToObj(day -> "[" + day + "]='" + name.format(LocalDate.ofEpochDay(day)) + "'")
                        .collect(joining(","))
                + "}\n";
    }
}
