-- Sets how many permits a limit has, for all workers from now on, or forgets that. If there are more than before, the
-- leader lets parked jobs go on.
--
-- KEYS  1 limits  2 limits to look at  3 permits of the limit  4 its parked jobs
-- ARGV  1 name  2 permits for each key; '' to leave it to the workers again; 'forget' to remove the limit unless it is
--       in use
-- Returns 1 if anything changed, else 0
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
local set, declared = 's:' .. ARGV[1], 'd:' .. ARGV[1]
if ARGV[2] == 'forget' then
  if redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 then return 0 end
  return redis.call('HDEL', KEYS[1], set, declared) > 0 and 1 or 0
end
local before = redis.call('HGET', KEYS[1], set)
if ARGV[2] == '' then redis.call('HDEL', KEYS[1], set) else redis.call('HSET', KEYS[1], set, ARGV[2]) end
redis.call('ZADD', KEYS[2], 0, '')
return (before or '') ~= ARGV[2] and 1 or 0
