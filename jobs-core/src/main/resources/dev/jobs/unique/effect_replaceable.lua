-- A kind of effect: does for the lock of a job that may be replaced what the kind lock does, and keeps its twin right:
-- a job that waits again may be replaced again, and one that ended is forgotten. A job that was replaced stays so.
--
-- KEYS  of the group: each lock, then its twin, as for check_replace
-- ARGV  of an entry: those of the kind lock
kinds.replaceable = {
  arguments = 3,
  keys = 2,
  apply = function(first_key, entries, outcomes)
    local WAITS = {
      handed_back = true, interrupted = true, recovered = true, queue = true, retried = true, postponed = true, set = true
    }
    local TWIN_MILLIS = 2592000000 -- 30 days beyond the lock, as in JobLock
    local own, became = {}, {}
    for i, at in ipairs(entries) do
      local jid = ARGV[at + 1]
      local replaced = redis.pcall('HEXISTS', KEYS[first_key + tonumber(ARGV[at]) + 1], '-' .. jid) == 1
      if not (replaced and WAITS[outcomes[i]]) then
        own[#own + 1] = at
        became[#became + 1] = outcomes[i]
      end
    end
    if #own > 0 then (kinds.lock or make('lock')).apply(first_key, own, became) end
    if failed then failed[0] = true end -- those of the kind lock have other numbers
    current = nil
    for i, at in ipairs(own) do
      local lock, jid, millis = first_key + tonumber(ARGV[at]), ARGV[at + 1], tonumber(ARGV[at + 2])
      local twin = KEYS[lock + 1]
      if not WAITS[became[i]] then
        redis.pcall('HDEL', twin, '-' .. jid)
        if redis.pcall('HGET', twin, 'jid') == jid then redis.pcall('HDEL', twin, 'jid', 'job', 'at') end
      elseif became[i] ~= 'set' then
        if millis > 0 and redis.pcall('GET', KEYS[lock]) == jid then
          redis.pcall('HSET', twin, 'jid', jid)
          redis.pcall('HDEL', twin, 'job')
          redis.pcall('PEXPIRE', twin, string.format('%.0f', millis + 2 * TWIN_MILLIS))
        elseif redis.pcall('HGET', twin, 'jid') == jid then
          redis.pcall('HDEL', twin, 'job')
        end
      elseif millis > 0 and redis.pcall('GET', KEYS[lock]) == jid and redis.pcall('HSETNX', twin, 'jid', jid) == 1 then
        -- restored: the bytes are not known here, so the next one leaves this one where it is, and no worker runs it
        redis.pcall('PEXPIRE', twin, string.format('%.0f', millis + 2 * TWIN_MILLIS))
      end
    end
  end
}
