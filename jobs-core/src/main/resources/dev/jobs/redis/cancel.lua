-- Marks an iterable job as cancelled, whether it is waiting, running or unknown. The first mark stays. May be repeated.
--
-- Also sets a cursor, without which Ruby could neither run nor show the job.
--
-- KEYS  1 hash of the iteration
-- ARGV  1 now in epoch seconds  2 seconds to keep it, if it is new
-- Returns when it was cancelled
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
redis.call('HSETNX', KEYS[1], 'cancelled', ARGV[1])
redis.call('HSETNX', KEYS[1], 'c', 'null')
redis.call('EXPIRE', KEYS[1], ARGV[2], 'NX')
return redis.call('HGET', KEYS[1], 'cancelled')
