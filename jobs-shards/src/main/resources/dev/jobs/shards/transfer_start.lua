-- Begins the transfer of a queue to another shard, unless one is open. The target knows its id already.
--
-- KEYS  1 names of queues with an open transfer  2 the transfer of the queue  3 transfers that came to this shard
-- ARGV  1 name of the queue  2 id of the transfer  3 where it leads, for people  4 now in epoch milliseconds
-- Returns the id of the open transfer; '' if the target is this very shard
if redis.call('HEXISTS', KEYS[3], ARGV[2]) == 1 then return '' end
local open = redis.call('HGET', KEYS[2], 'id')
if open then return open end
redis.pcall('SREM', KEYS[1], '') -- removal first: a full Redis then allows the other writes
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[2], 'id', ARGV[2], 'number', 0, 'to', ARGV[3], 'began', ARGV[4])
return ARGV[2]
