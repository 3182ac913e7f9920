-- Cancels a job, whether it is waiting, running or unknown: nothing looks for it. May be repeated.
--
-- There are at most so many, since workers have them in their memory. None is forgotten for a newer one: a job that is
-- due in weeks would run. The leader forgets those of jobs that are nowhere any more (cancel_forget).
--
-- Each cancellation gets a later time than all before it, so that workers read what is new by its time. The member ''
-- has the newest time, and keeps it when the cancellation itself is gone.
--
-- The mark of an iterable job is Sidekiq's; its first time stays. It also gets a cursor, without which Ruby could
-- neither run nor show the job.
--
-- KEYS  1 hash of the iteration  2 cancelled
-- ARGV  1 now in epoch seconds  2 seconds to keep it  3 jid  4 most cancellations
-- Returns when it was cancelled first; '' if there are too many
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('(%.6f', now - tonumber(ARGV[2])))
if not redis.call('ZSCORE', KEYS[2], ARGV[3]) and redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[4]) then return '' end
local last = tonumber(redis.call('ZSCORE', KEYS[2], '') or nil)
if last and last >= now then now = last + 0.000001 end
local at = string.format('%.6f', now)
redis.call('ZADD', KEYS[2], at, ARGV[3], at, '')
redis.call('EXPIRE', KEYS[2], ARGV[2])
redis.call('HSETNX', KEYS[1], 'cancelled', ARGV[1])
redis.call('HSETNX', KEYS[1], 'c', 'null')
if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end -- Redis 6.2 has no NX here
return redis.call('HGET', KEYS[1], 'cancelled')
