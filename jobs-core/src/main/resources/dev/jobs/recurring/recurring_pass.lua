-- Decides all slots of a recurring job up to one, as if each had been fired. Without effect on a job that doesn't
-- remember which are decided, or that is further.
--
-- KEYS  1 the recurring job
-- ARGV  1 slot as ISO 8601
-- Returns 1 if it went on, else 0
if redis.call('TYPE', KEYS[1])['ok'] ~= 'hash' then return 0 end
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
local passed = redis.call('HGET', KEYS[1], 'jobs_passed')
if not passed or ARGV[1] <= passed then return 0 end
redis.call('HSET', KEYS[1], 'jobs_passed', ARGV[1])
return 1
