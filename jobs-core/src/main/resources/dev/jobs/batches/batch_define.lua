-- Stores what was determined of a batch while it was filled, unless it is committed.
--
-- KEYS  1 its counters  2 its definition
-- ARGV  1… fields and values of its definition
-- Returns 1, or 0 if it is committed or there is no such batch
if redis.call('HGET', KEYS[1], 'open') ~= '1' then return 0 end
redis.call('HDEL', KEYS[2], '') -- removal first: a full Redis then allows the other writes
redis.call('HSET', KEYS[2], unpack(ARGV))
return 1
