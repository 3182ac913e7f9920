-- Empties a queue or a set in one step, however big it is. A key of another type is removed too: nothing could be stored there.
--
-- KEYS  1 the queue list or the sorted set  2 queues, if it is a queue
-- ARGV  1 name of the queue, if it is one  2 '1' if it is to be left alone should there be jobs in it
-- Returns how many jobs were in it; -1 if it was left alone
local found, count = redis.call('TYPE', KEYS[1])['ok'], 0
if found == 'list' then count = redis.call('LLEN', KEYS[1]) elseif found == 'zset' then count = redis.call('ZCARD', KEYS[1]) end
if count > 0 and ARGV[2] == '1' then return -1 end
redis.call('UNLINK', KEYS[1])
if KEYS[2] then redis.pcall('SREM', KEYS[2], ARGV[1]) end
return count
