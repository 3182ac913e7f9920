-- Corrects what a use of a limiter of points has taken.
--
-- KEYS  1 hash of the limiter
-- ARGV  1 points that it took more than estimated; negative if it took less  2 microseconds in which one point drains
-- Returns nothing of interest
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local more = tonumber(ARGV[1]) * tonumber(ARGV[2])
local known = redis.call('HMGET', KEYS[1], 'at', 'n', 'turn', 'wins')
local at, found, turn = tonumber(known[1] or nil) or 0, tonumber(known[2] or nil) or 0, tonumber(known[3] or nil)
local back = math.max(0, found - now) -- the clock was set back: all times move back with it
local empty = math.max(at - back, now)
local after = math.max(now, empty + more)
if after == empty then return 0 end
redis.call('HSET', KEYS[1], 'at', string.format('%.3f', after), 'n', string.format('%.0f', now))
if turn and back > 0 then redis.call('HSET', KEYS[1], 'turn', string.format('%.0f', turn - back)) end
local left = redis.call('PTTL', KEYS[1])
local lasts = math.ceil((after - now) / 1000)
if not known[4] and left < lasts then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', lasts)) end
return 1
