-- A kind of effect: releases the lock of a unique job that has ended, and keeps that of a job that moved. A lock that
-- another job holds is left alone.
--
-- A job that moved takes its lock again if nobody holds it: it may have been revived or restored, or have waited longer
-- than the lock lasts. Not if the effect is made again later, since the job may have ended by then.
--
-- KEYS  of the group: the locks
-- ARGV  of an entry: index of its lock, from 0; jid; milliseconds that the lock lasts at most, or '0' if only an end
--       matters, since the lock ends when the job starts
kinds.lock = {
  arguments = 3,
  keys = 1,
  apply = function(first_key, entries, outcomes)
    local IN_QUEUE = {handed_back = true, interrupted = true, recovered = true, queue = true}
    local IN_SET = {retried = true, postponed = true, set = true}
    local SET_MILLIS = 2592000000 -- 30 days: a job in a set moves again when it is due, if nobody deletes the set
    for i, at in ipairs(entries) do
      current = i
      local key, jid, millis = KEYS[first_key + tonumber(ARGV[at])], ARGV[at + 1], tonumber(ARGV[at + 2])
      local waits, sits = IN_QUEUE[outcomes[i]], IN_SET[outcomes[i]]
      local holder = (millis > 0 or not (waits or sits)) and redis.pcall('GET', key)
      if not waits and not sits then
        if holder == jid then redis.pcall('UNLINK', key) end
      elseif millis > 0 then
        local time = string.format('%.0f', sits and millis + SET_MILLIS or millis)
        if holder == jid and waits then redis.pcall('PEXPIRE', key, time)
        elseif holder == jid then -- never earlier: the job may be due later; Redis 6.2 has no GT here
          local left = tonumber(redis.pcall('PTTL', key)) or -1
          if left >= 0 and left < tonumber(time) then redis.pcall('PEXPIRE', key, time) end
        elseif not holder and not again then redis.pcall('SET', key, jid, 'PX', time) end
      end
    end
  end
}
