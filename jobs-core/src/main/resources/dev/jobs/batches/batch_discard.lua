-- Removes a batch that is not committed, with its staged jobs.
--
-- KEYS  1 its counters  2 batches  3 open batches  4… its other keys
-- ARGV  1 its id
-- Returns 1, or 0 if it is committed
if redis.call('HGET', KEYS[1], 'open') == '0' then return 0 end
redis.call('UNLINK', KEYS[1], unpack(KEYS, 4))
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1
