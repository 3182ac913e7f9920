-- Marks an iterable job as cancelled, whether it waits, runs or never was. The first mark stays. May be repeated.
--
-- Without a cursor beside the mark, Ruby can neither run the job nor show it.
--
-- KEYS  1 hash of the iteration
-- ARGV  1 now in epoch seconds  2 seconds that it is kept, if nothing was before
-- Returns since when it is cancelled
redis.call('HDEL', KEYS[1], '') -- a removal first: a full Redis then lets the rest through
redis.call('HSETNX', KEYS[1], 'cancelled', ARGV[1])
redis.call('HSETNX', KEYS[1], 'c', 'null')
redis.call('EXPIRE', KEYS[1], ARGV[2], 'NX')
return redis.call('HGET', KEYS[1], 'cancelled')
