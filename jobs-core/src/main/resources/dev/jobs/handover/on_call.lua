-- Returns whether a capsule is on call, which means that it is notified of jobs at once, and how many others poll.
-- Safety does not depend on it.
--
-- A capsule stays on call for three of its requests. A capsule that runs jobs stays on call until one that runs
-- none asks to be, so there is no gap. A full capsule is no longer on call if others are waiting.
--
-- KEYS  1 capsules on call, scored by the server time in milliseconds until which they are on call, negative if they
--       run jobs
--       2 capsules not on call
-- ARGV  1 capsule  2 free: runs no job | busy: has room | full | gone  3 capsules on call at most
--       4 milliseconds between requests of a capsule on call
--       5 milliseconds between any two polls of the other capsules
--       6 milliseconds between requests at most
-- Returns {1 on call | 0 not, capsules that are not on call}
local calls, spares, me, load, most, every, spread, longest =
  KEYS[1], KEYS[2], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end

-- An expiry that is too far away dates from before the server's clock was set back.
local function forget(key)
  redis.call('ZREMRANGEBYSCORE', key, text(-now), text(now))
  redis.call('ZREMRANGEBYSCORE', key, '(' .. text(now + 3 * longest), '+inf')
  redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. text(-now - 3 * longest))
end
forget(calls)
forget(spares)
local was = redis.call('ZREM', calls, me) == 1
redis.call('ZREM', spares, me)
local others = redis.call('ZCARD', spares)
if load == 'gone' then return {0, others} end

local on = was and (load ~= 'full' or others == 0)
if not was and load ~= 'full' then
  on = redis.call('ZCARD', calls) < most
  if not on and load == 'free' then
    local busy = redis.call('ZRANGEBYSCORE', calls, '-inf', '(0', 'LIMIT', 0, 1)[1]
    on = busy and redis.call('ZREM', calls, busy) == 1
  end
end
if on then
  local holds = now + 3 * every
  redis.call('ZADD', calls, text(load == 'free' and holds or -holds), me)
  redis.call('PEXPIRE', calls, 3 * longest)
elseif load ~= 'full' then
  others = others + 1
  redis.call('ZADD', spares, text(now + 3 * math.max(every, math.min(others * spread, longest))), me)
  redis.call('PEXPIRE', spares, 3 * longest)
end
return {on and 1 or 0, others}
