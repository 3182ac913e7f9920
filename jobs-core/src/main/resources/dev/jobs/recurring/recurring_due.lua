-- Stores the next slot of a recurring job with a fixed delay, unless there is one or a job has not ended, or forgets it.
-- Without effect on one that was changed or deleted.
--
-- KEYS  1 the recurring job  2 its lock
-- ARGV  1 cron text as it was read  2 slot as ISO 8601, or '' to forget it  3 the slot as it was read, to forget
-- Returns 1 if it was stored or forgotten, else 0
if redis.call('TYPE', KEYS[1])['ok'] ~= 'hash' or redis.call('HGET', KEYS[1], 'cron') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
if ARGV[2] ~= '' and redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
if ARGV[2] ~= '' then return redis.call('HSETNX', KEYS[1], 'jobs_due', ARGV[2]) end
return redis.call('HGET', KEYS[1], 'jobs_due') == ARGV[3] and redis.call('HDEL', KEYS[1], 'jobs_due') or 0
