-- Empties a queue or the trash in one step, regardless of its size. Either removes the jobs, or moves their list to a
-- place aside, where they wait to end with their effects. A key of another type is removed: it keeps jobs from being
-- stored.
--
-- KEYS  1 the queue list or the sorted set  2 queues, if it is a queue
--       3 names of the places aside  4 the place aside; neither if the jobs have no effects
-- ARGV  1 name of the queue, if it is one  2 '1' to do nothing if there are jobs in it  3 name of the place aside
-- Returns the number of jobs removed or moved; -1 if it did nothing because there are jobs
local found, count = redis.call('TYPE', KEYS[1])['ok'], 0
if found == 'list' then count = redis.call('LLEN', KEYS[1]) elseif found == 'zset' then count = redis.call('ZCARD', KEYS[1]) end
if count > 0 and ARGV[2] == '1' then return -1 end
if KEYS[4] and found == 'list' then
  if redis.call('EXISTS', KEYS[4]) == 1 then return redis.error_reply('ERR the place aside is taken') end
  redis.call('SREM', KEYS[3], '') -- removal first: a full Redis then allows the other writes
  redis.call('SADD', KEYS[3], ARGV[3]) -- before the list is there, so that it is found after any error
  redis.call('RENAME', KEYS[1], KEYS[4])
else
  redis.call('UNLINK', KEYS[1])
end
if KEYS[2] then redis.pcall('SREM', KEYS[2], ARGV[1]) end
return count
