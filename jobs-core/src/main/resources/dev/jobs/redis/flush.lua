-- Keeps how far an iterable job is, but only for the process that holds the job: one that woke up too late must not set back the job's
-- new owner. May be repeated.
--
-- KEYS  1 hash of the iteration  2 in-flight hash of this process
-- ARGV  1 token of the job  2 executions  3 cursor as JSON  4 seconds run  5 seconds that it is kept, from the first time on
-- Returns {1 if it was kept | 0 if this process doesn't hold the job, since when it is cancelled, or nothing}
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return {0} end
redis.call('HDEL', KEYS[1], '') -- a removal first: a full Redis then lets the rest through
redis.call('HSET', KEYS[1], 'ex', ARGV[2], 'c', ARGV[3], 'rt', ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5], 'NX')
return {1, redis.call('HGET', KEYS[1], 'cancelled')}
