-- Shared: checks and writes places of jobs.
--
-- fits(key, type)                       Returns whether the key holds that type or is missing.
-- bury(dead, payload, now, most, kept)  Puts a job into the dead set and trims the set to most entries, each at most
--                                       kept seconds old; now is the answer of TIME. Returns the number of trimmed
--                                       jobs.
local function fits(key, type)
  local found = redis.call('TYPE', key)['ok']
  return found == type or found == 'none'
end

local function bury(dead, payload, now, most, kept)
  redis.call('ZADD', dead, string.format('%.6f', now[1] + now[2] / 1000000), payload)
  return redis.call('ZREMRANGEBYSCORE', dead, '-inf', now[1] - tonumber(kept))
    + redis.call('ZREMRANGEBYRANK', dead, 0, -tonumber(most))
end
