-- Cancels a batch that has not ended. No more jobs are added to it.
--
-- KEYS  1 its counters  2 cancelled batches  3 batches that want a look
-- ARGV  1 its id
-- Returns 1 if it is cancelled, 0 if it has ended or there is no such batch
local known = redis.call('HMGET', KEYS[1], 'total', 'finished', 'cancelled')
if not known[1] or known[2] and not known[3] then return 0 end
redis.call('ZREM', KEYS[2], '') -- removal first: a full Redis then allows the other writes
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSETNX', KEYS[1], 'cancelled', now)
redis.call('HSET', KEYS[1], 'changed', now, 'open', 0)
if not known[2] then
  redis.call('ZADD', KEYS[2], 'NX', now, ARGV[1])
  redis.call('ZADD', KEYS[3], 'NX', time[1], ARGV[1])
end
return 1
