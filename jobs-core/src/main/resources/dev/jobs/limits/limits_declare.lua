-- Declares what limits a worker knows. If one changed, the leader lets parked jobs go on.
--
-- KEYS  1 limits  2 limits to look at
-- ARGV  two for each: name; permits for each key and rate, as the first part of scripts on limits describes them
-- Returns how many were new or changed
local changed = 0
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
for i = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], 'd:' .. ARGV[i]) ~= ARGV[i + 1] then
    redis.call('HSET', KEYS[1], 'd:' .. ARGV[i], ARGV[i + 1])
    changed = changed + 1
  end
end
if changed > 0 or #ARGV > 0 and not redis.call('ZSCORE', KEYS[2], '') then redis.call('ZADD', KEYS[2], 0, '') end
return changed
