-- A kind of check: lets a scheduled job take the place of the one that was stored before it under the same key, and
-- sets its time by the server's clock: some time from now, but not later than some time after the first such job.
--
-- A job that is no longer scheduled, since it was promoted or removed, is not replaced; the next one is a first one.
--
-- KEYS  of a check: the twin, as for check_replace  schedule
-- ARGV  of a check: jid, milliseconds to wait, milliseconds from the first job at most, milliseconds that the twin
--       lasts
checks.debounce = {
  arguments = 4,
  refuse = function(key, _, index)
    redis.call('HLEN', key)
    redis.call('ZCARD', KEYS[index + 1])
    return nil
  end,
  stored = function(key, at, index, payload)
    local schedule, time = KEYS[index + 1], redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local old, first = redis.pcall('HMGET', key, 'job', 'first'), now
    if old[1] and old[1] ~= payload and redis.pcall('ZREM', schedule, old[1]) == 1 then first = tonumber(old[2]) or now end
    if not redis.pcall('ZSCORE', schedule, payload) then -- its client pushed it into its queue
      redis.pcall('UNLINK', key)
      return
    end
    local due = math.max(now, math.min(now + ARGV[at + 1], first + ARGV[at + 2]))
    redis.pcall('ZADD', schedule, 'XX', string.format('%.3f', due / 1000), payload)
    redis.pcall('HSET', key, 'jid', ARGV[at], 'job', payload, 'first', string.format('%.0f', first))
    redis.pcall('PEXPIRE', key, ARGV[at + 3])
  end
}
