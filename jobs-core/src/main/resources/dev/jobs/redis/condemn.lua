-- Gives up the owner of an in-flight hash if nobody knows it, as after an eviction or a deletion by hand, so that its jobs are reaped.
--
-- KEYS  1 in-flight hash  2 beats
-- ARGV  1 incarnation
-- Returns 1 if it was given up now, else 0
redis.call('ZREM', KEYS[2], '')
if redis.call('TYPE', KEYS[1])['ok'] ~= 'hash' or redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[2], -1, ARGV[1])
return 1
