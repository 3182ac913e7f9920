-- Stores the progress of an iterable job, but only for the process that holds the job: a process that lost it must not
-- set back the job's new owner; and only what is later than what is stored: a call that was given up may arrive behind
-- the next one. A job that has made progress since its last worker died is no suspect any more: its
-- strikes are removed. May be repeated.
--
-- KEYS  1 hash of the iteration  2 in-flight hash of this process  3 recovered  4 recovered: times
-- ARGV  1 token of the job  2 executions  3 cursor as JSON  4 seconds run  5 seconds to keep it, from the first call on
-- Returns {1 stored | 0 this process doesn't hold the job, when it was cancelled or nothing}
local held = redis.call('HGET', KEYS[2], ARGV[1])
if not held then return {0} end
local before = redis.call('HMGET', KEYS[1], 'c', 'ex', 'rt', 'cancelled')
local known = tonumber(before[3] or nil)
if before[2] == ARGV[2] and known and known > tonumber(ARGV[4]) then return {1, before[4]} end
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
redis.call('HSET', KEYS[1], 'ex', ARGV[2], 'c', ARGV[3], 'rt', ARGV[4])
if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[5]) end -- Redis 6.2 has no NX here
if before[1] ~= ARGV[3] and redis.call('EXISTS', KEYS[3]) == 1 then
  local hash = redis.sha1hex(held)
  redis.pcall('HDEL', KEYS[3], hash)
  redis.pcall('ZREM', KEYS[4], hash)
end
return {1, before[4]}
