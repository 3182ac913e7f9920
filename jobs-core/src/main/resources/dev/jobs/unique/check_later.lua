-- A kind of check: takes the lock of a unique job for its whole time; if another job holds it, stores the job in the
-- scheduled set instead, for the time at which the lock ends, and lets it hold the lock for as long again. Of the jobs
-- of one lock one at most is stored so: a later one takes its place and its time.
--
-- KEYS  of a check: the lock  its twin, as for check_replace  schedule
-- ARGV  of a check: jid, milliseconds from now that the lock lasts, milliseconds that it lasts from the time of a
--       scheduled job, milliseconds that the twin lasts beyond that, the job as it is scheduled
-- The reason is 'later:' and the jid of the job that holds the lock.
checks.later = {
  arguments = 5,
  refuse = function(key, at, index)
    local holder = redis.call('GET', key)
    redis.call('HLEN', KEYS[index + 1])
    redis.call('ZCARD', KEYS[index + 2])
    return holder and holder ~= ARGV[at] and refusal('later', holder) or nil
  end,
  divert = function(key, at, index)
    local twin, schedule, payload = KEYS[index + 1], KEYS[index + 2], ARGV[at + 4]
    local old = redis.call('HGET', twin, 'job')
    local due = old and redis.call('ZSCORE', schedule, old)
    if due then
      redis.call('ZADD', schedule, due, payload)
      if old ~= payload then redis.call('ZREM', schedule, old) end
      redis.call('SET', key, ARGV[at], 'KEEPTTL')
    else
      local time, left = redis.call('TIME'), math.max(0, redis.call('PTTL', key))
      redis.call('ZADD', schedule, string.format('%.6f', time[1] + time[2] / 1000000 + left / 1000), payload)
      redis.call('SET', key, ARGV[at], 'PX', string.format('%.0f', left + ARGV[at + 2]))
      redis.call('HSET', twin, 'job', payload)
      redis.call('PEXPIRE', twin, string.format('%.0f', left + ARGV[at + 2] + ARGV[at + 3]))
    end
    redis.call('HSET', twin, 'job', payload, 'jid', ARGV[at])
  end,
  stored = function(key, at, index)
    local old = redis.pcall('HGET', KEYS[index + 1], 'job')
    if old then redis.pcall('ZREM', KEYS[index + 2], old) end -- nobody promoted it in time, and this job is newer
    redis.pcall('UNLINK', KEYS[index + 1])
    redis.pcall('SET', key, ARGV[at], 'PX', ARGV[at + 1])
  end
}
