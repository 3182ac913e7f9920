-- Says whether a capsule is on call, so that it hears of jobs at once, and how many others look now and then. Nothing about safety depends
-- on it.
--
-- A place is held for three asks. A capsule that runs jobs keeps its place until one that runs none asks, so that there is no gap. A full
-- one leaves its place if others wait for it.
--
-- KEYS  1 those on call, by the server's milliseconds until which that holds, below zero for those that run jobs  2 those that are not
-- ARGV  1 capsule  2 free: runs no job | busy: has room | full | gone  3 capsules on call at most  4 milliseconds between asks, on call
--       5 milliseconds between the looks of all others together  6 milliseconds between asks at most
-- Returns {1 on call | 0 not, capsules that are not on call}
local calls, spares, me, load, most, every, spread, longest =
  KEYS[1], KEYS[2], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end

-- What ends later than anything may is from before the server's clock went back.
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
