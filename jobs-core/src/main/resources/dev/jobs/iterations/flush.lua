-- Stores the progress of an iterable job, but only for the process that holds the job: a process that lost it must not
-- set back the job's new owner. A job that has made progress since its last worker died is no suspect any more: its
-- strikes are removed. May be repeated.
--
-- KEYS  1 hash of the iteration  2 in-flight hash of this process  3 recovered  4 recovered: times
-- ARGV  1 token of the job  2 executions  3 cursor as JSON  4 seconds run  5 seconds to keep it, from the first call on
-- Returns {1 stored | 0 this process doesn't hold the job, when it was cancelled or nothing}
local held = redis.call('HGET', KEYS[2], ARGV[1])
if not held then return {0} end
local before = redis.call('HGET', KEYS[1], 'c')
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
redis.call('HSET', KEYS[1], 'ex', ARGV[2], 'c', ARGV[3], 'rt', ARGV[4])
if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[5]) end -- Redis 6.2 has no NX here
if before ~= ARGV[3] and redis.call('EXISTS', KEYS[3]) == 1 then
  local hash = redis.sha1hex(held)
  redis.pcall('HDEL', KEYS[3], hash)
  redis.pcall('ZREM', KEYS[4], hash)
end
return {1, redis.call('HGET', KEYS[1], 'cancelled')}
