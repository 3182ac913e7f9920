-- Notes that something outside Redis has all of a batch, and asks for a look at it, which decides anew how long it is
-- kept.
--
-- KEYS  1 definition of the batch  2 batches that want a look
-- ARGV  1 its id  2 the field that keeps it for long
-- Returns {1}, or {0} if nothing kept it for long
if redis.call('HDEL', KEYS[1], ARGV[2]) == 0 then return {0} end
redis.call('ZADD', KEYS[2], 'NX', redis.call('TIME')[1], ARGV[1])
return {1}
