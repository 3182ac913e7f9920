-- A kind of check: takes the lock of a unique job, also from a job that no worker has begun; that one is replaced.
-- Refuses the job while one that has begun holds the lock.
--
-- A scheduled job that is replaced is removed. One that waits elsewhere stays there, and is not run when it is taken.
--
-- KEYS  of a check: the lock  its twin, a hash: jid = the job that may be replaced, job = its bytes if it is scheduled,
--       first = since when calls are debounced, in ms; at = where it is parked: the limit, then the parked job
--       without its payload; -JID of each job that was replaced and still waits  schedule
-- ARGV  of a check: jid, milliseconds that the lock lasts at most, milliseconds that the twin does
-- Marks of replaced jobs that other programs take or delete stay behind. Beyond some thousands all are forgotten, and
-- those of the jobs that still wait run.
--
-- The reason is 'locked:' and the jid of the job that holds the lock.
local MOST_REPLACED = 10000

checks.replace = {
  arguments = 3,
  refuse = function(key, at, index)
    local holder, waits = redis.call('GET', key), redis.call('HGET', KEYS[index + 1], 'jid')
    redis.call('ZCARD', KEYS[index + 2])
    if not holder or holder == ARGV[at] or holder == waits then return nil end
    return refusal('locked', holder)
  end,
  stored = function(key, at, index, payload)
    local jid, twin, schedule = ARGV[at], KEYS[index + 1], KEYS[index + 2]
    local old = redis.pcall('HMGET', twin, 'jid', 'job')
    if old[1] and old[1] ~= jid and not (old[2] and redis.pcall('ZREM', schedule, old[2]) == 1) then
      if (tonumber(redis.pcall('HLEN', twin)) or 0) > MOST_REPLACED then redis.pcall('UNLINK', twin) end
      redis.pcall('HSET', twin, '-' .. old[1], '')
    end
    redis.pcall('SET', key, jid, 'PX', ARGV[at + 1])
    redis.pcall('HSET', twin, 'jid', jid)
    if redis.pcall('ZSCORE', schedule, payload) then redis.pcall('HSET', twin, 'job', payload)
    else redis.pcall('HDEL', twin, 'job') end
    redis.pcall('PEXPIRE', twin, ARGV[at + 2])
  end
}
