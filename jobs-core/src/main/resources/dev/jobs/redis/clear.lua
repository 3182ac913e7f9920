-- Empties a queue or a set in one step, regardless of its size. A key of another type is removed too: it keeps jobs
-- from being stored.
--
-- KEYS  1 the queue list or the sorted set  2 queues, if it is a queue
-- ARGV  1 name of the queue, if it is one  2 '1' to do nothing if there are jobs in it
-- Returns the number of jobs removed; -1 if it did nothing because there are jobs
local found, count = redis.call('TYPE', KEYS[1])['ok'], 0
if found == 'list' then count = redis.call('LLEN', KEYS[1]) elseif found == 'zset' then count = redis.call('ZCARD', KEYS[1]) end
if count > 0 and ARGV[2] == '1' then return -1 end
redis.call('UNLINK', KEYS[1])
if KEYS[2] then redis.pcall('SREM', KEYS[2], ARGV[1]) end
return count
