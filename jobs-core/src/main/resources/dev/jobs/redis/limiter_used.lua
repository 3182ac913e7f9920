-- Corrects what a use of a limiter of points has taken.
--
-- KEYS  1 hash of the limiter
-- ARGV  1 points that it took more than estimated; negative if it took less  2 microseconds in which one point drains
-- Returns nothing of interest
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local more = tonumber(ARGV[1]) * tonumber(ARGV[2])
local empty = math.max(tonumber(redis.call('HGET', KEYS[1], 'at') or nil) or 0, now)
local after = math.max(now, empty + more)
if after == empty then return 0 end
redis.call('HSET', KEYS[1], 'at', string.format('%.3f', after))
local left = redis.call('PTTL', KEYS[1])
local lasts = math.ceil((after - now) / 1000)
local known = redis.call('HEXISTS', KEYS[1], 'wins') == 1
if not known and left < lasts then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', lasts)) end
return 1
