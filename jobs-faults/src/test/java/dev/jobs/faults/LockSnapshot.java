package dev.jobs.faults;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.List;

/** What is wrong with the locks of unique jobs at one instant: read in one step, so that nothing moves meanwhile. */
final class LockSnapshot {

    /** Searches payloads for their members, which is good enough for jobs that this suite has made. */
    private static final String SCRIPT = """
            local wrong, pending, jobs = {}, {}, 0
            local function look(payload, place)
              local jid = string.match(payload, '"jid":"([^"]+)"')
              local lock = string.match(payload, '"unique_lock":"([^"]+)"')
              if not lock then return end
              jobs = jobs + 1
              if pending[lock] then wrong[#wrong + 1] = lock .. ': ' .. jid .. ' ' .. place .. ', ' .. pending[lock] end
              pending[lock] = jid .. ' ' .. place
              local holder = redis.call('GET', 'unique:' .. lock)
              if holder ~= jid then
                wrong[#wrong + 1] = lock .. ': ' .. jid .. ' ' .. place .. ' without its lock, held by ' .. tostring(holder)
              end
            end
            for _, name in ipairs(redis.call('SMEMBERS', 'queues')) do
              for _, payload in ipairs(redis.call('LRANGE', 'queue:' .. name, 0, -1)) do look(payload, name) end
            end
            for _, set in ipairs({'schedule', 'retry'}) do
              for _, payload in ipairs(redis.call('ZRANGE', set, 0, -1)) do look(payload, set) end
            end
            for _, hash in ipairs(redis.call('KEYS', 'jobs:in:*')) do
              for _, value in ipairs(redis.call('HVALS', hash)) do look(value, hash) end
            end
            local locks = redis.call('KEYS', 'unique:*')
            for _, key in ipairs(locks) do
              if not pending[string.sub(key, 8)] then
                wrong[#wrong + 1] = key .. ': held by ' .. redis.call('GET', key) .. ' without a pending job'
              end
            end
            table.insert(wrong, 1, tostring(#locks))
            return wrong
            """;

    /** The number of locks that were held. */
    final int held;

    /** Keys with several pending jobs, jobs without their lock, and locks without a job. */
    final List<String> wrong;

    private LockSnapshot(List<String> answer) {
        held = Integer.parseInt(answer.get(0));
        wrong = List.copyOf(answer.subList(1, answer.size()));
    }

    static LockSnapshot take(RedisClusterCommands<String, String> redis) {
        return new LockSnapshot(redis.eval(SCRIPT, ScriptOutputType.MULTI));
    }
}
