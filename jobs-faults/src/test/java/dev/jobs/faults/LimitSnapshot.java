package dev.jobs.faults;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.List;

/** The permits of all limits and their parked jobs at one instant, read in one step. */
final class LimitSnapshot {

    private static final String SCRIPT = """
            local wrong, held, parked = {}, 0, 0
            for _, name in ipairs(redis.call('KEYS', 'jobs:permits:*')) do
              local limit = string.sub(name, 14)
              local most = tonumber(redis.call('HGET', 'jobs:limits', 's:' .. limit))
              local of_key = {}
              for _, permit in ipairs(redis.call('ZRANGE', name, 0, -1)) do
                local key, process, token = string.match(permit, '^([^\\n]*)\\n([^\\n]*)\\n(.*)$')
                held = held + 1
                of_key[key] = (of_key[key] or 0) + 1
                if redis.call('HEXISTS', 'jobs:in:' .. process, token) == 0 then
                  wrong[#wrong + 1] = limit .. '/' .. key .. ': a permit of ' .. process .. ' ' .. token .. ' without a job'
                end
              end
              for key, count in pairs(of_key) do
                if count > most then
                  wrong[#wrong + 1] = limit .. '/' .. key .. ': ' .. count .. ' permits of ' .. most
                end
              end
            end
            for _, name in ipairs(redis.call('KEYS', 'jobs:parked:*')) do parked = parked + redis.call('ZCARD', name) end
            return {tostring(held), tostring(parked), unpack(wrong)}
            """;

    /** The number of permits that were held. */
    final int held;

    /** The number of jobs that waited for one. */
    final int parked;

    /** Permits above a limit, and permits without a job. */
    final List<String> wrong;

    private LimitSnapshot(List<String> answer) {
        held = Integer.parseInt(answer.get(0));
        parked = Integer.parseInt(answer.get(1));
        wrong = List.copyOf(answer.subList(2, answer.size()));
    }

    static LimitSnapshot take(RedisClusterCommands<String, String> redis) {
        return new LimitSnapshot(redis.eval(SCRIPT, ScriptOutputType.MULTI));
    }
}
