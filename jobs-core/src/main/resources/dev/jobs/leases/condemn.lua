-- Gives up the owner of an in-flight hash that is missing in beats, as after an eviction or a deletion by hand. Its
-- jobs are then reaped.
--
-- KEYS  1 in-flight hash  2 beats
-- ARGV  1 incarnation
-- Returns 1 if it was given up now, else 0
redis.call('ZREM', KEYS[2], '')
if redis.call('TYPE', KEYS[1])['ok'] ~= 'hash' or redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[2], -1, ARGV[1])
return 1
