-- Sets back what a recurring job remembers of a time that has not come, after the clock was ahead. Taken slots stay, so
-- that none is fired again, except for those that are further ahead than a taken slot is remembered: by then, another
-- one has come.
--
-- KEYS  1 the recurring job  2 its slots
-- ARGV  1 last enqueue time and  2 slot up to which all are decided, as they were read
--       3 the last enqueue time and  4 the slot up to which all are decided from now on, '' to leave one as it is
--       5 current time in epoch seconds
-- Returns 1 if it was set back, 0 if the job was changed or deleted
if redis.call('TYPE', KEYS[1])['ok'] ~= 'hash' then return 0 end
local stored = redis.call('HMGET', KEYS[1], 'last_enqueue_time', 'jobs_passed', 'jobs_enqueued')
if (stored[1] or '') ~= ARGV[1] or (stored[2] or '') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
redis.pcall('ZREMRANGEBYSCORE', KEYS[2], '(' .. ARGV[5] + 86400, '+inf')
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[1], 'last_enqueue_time', ARGV[3])
  if stored[3] == stored[1] then redis.call('HSET', KEYS[1], 'jobs_enqueued', ARGV[3]) end
end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'jobs_passed', ARGV[4]) end
return 1
