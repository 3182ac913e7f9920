-- Fires a recurring job: takes one of its slots and pushes the job in one step, so no crash can leave one without the
-- other. The slot is taken as in Ruby, by adding it to a sorted set: the first process to add it fires. That set forgets
-- a slot after a day, so a job that makes up for older ones also remembers up to which slot all are decided: its slots are
-- fired in order.
--
-- If its jobs cancel each other, the one that has the lock is cancelled in the same step.
--
-- The first write is deliberately not a removal: a full Redis must refuse new jobs, and the slot stays free.
--
-- KEYS  1 the recurring job  2 its slots  3 its history  4 queues  5 queue list, if a job is pushed
--       6 the lock of the recurring job, if its jobs must not overlap
--       7 iteration of the job that is cancelled, if there is one  8 cancelled
-- ARGV  1 cron text and  2 message as they were read  3 slot as ISO 8601, or '' to fire without one
--       4 the second time at which clocks show the slot's time (end of daylight saving), or ''
--       5, 6 both in epoch seconds
--       7 current time as text, which is shown as its last enqueue time  8 entry for the history, or ''
--       9 entries kept in the history  10 name of the queue  11 payload
--       12 jid that gets the lock  13 milliseconds that it lasts at most
--       14 jid of the job that has the lock, as it was read, and is cancelled, or ''; missing unless such jobs are
--       15 to 18 what the script cancel has for it
-- Returns 3 fired, but the job that had the lock could not be cancelled | 2 another job has the lock | 1 fired
--         | 0 the slot had been taken | -1 the job was changed, paused or deleted, or another has the lock than was read
--         | -2 a key is of the wrong type
if redis.call('TYPE', KEYS[1])['ok'] ~= 'hash' then return -1 end
local stored = redis.call('HMGET', KEYS[1], 'cron', 'message', 'status', 'jobs_missed', 'jobs_passed')
if (stored[1] or '') ~= ARGV[1] or (stored[2] or '') ~= ARGV[2] then return -1 end
if ARGV[3] ~= '' and (stored[3] or 'enabled') ~= 'enabled' then return -1 end
if not fits(KEYS[2], 'zset') or KEYS[5] and not fits(KEYS[5], 'list') then return -2 end
if KEYS[6] and not fits(KEYS[6], 'string') then return -2 end
local remembers = ARGV[3] ~= '' and stored[4]
if remembers and ARGV[3] <= (stored[5] or '') then return 0 end
local holder = KEYS[6] and redis.call('GET', KEYS[6])
local overlaps = holder and holder ~= ARGV[12]
if overlaps and ARGV[14] ~= holder then return ARGV[14] and -1 or 2 end
if ARGV[3] ~= '' then
  local free = redis.call('ZADD', KEYS[2], 'NX', ARGV[5], ARGV[3]) == 1
  if remembers then redis.call('HSET', KEYS[1], 'jobs_passed', ARGV[3]) end
  if not free then return 0 end
  if ARGV[4] ~= '' then redis.call('ZADD', KEYS[2], 'NX', ARGV[6], ARGV[4]) end
end
if KEYS[5] then
  redis.call('LPUSH', KEYS[5], ARGV[11])
  redis.pcall('SADD', KEYS[4], ARGV[10])
end
if KEYS[6] then redis.call('SET', KEYS[6], ARGV[12], 'PX', ARGV[13]) end
local answer = 1
if overlaps and not (fits(KEYS[7], 'hash') and fits(KEYS[8], 'zset')
    and cancel(KEYS[7], KEYS[8], ARGV[15], ARGV[16], ARGV[17], ARGV[18]) ~= '') then
  answer = 3
end
redis.call('HSET', KEYS[1], 'last_enqueue_time', ARGV[7])
if stored[4] then redis.call('HSET', KEYS[1], 'jobs_enqueued', ARGV[7]) end -- tells it from a time that Ruby stored
redis.call('HDEL', KEYS[1], 'jobs_due') -- that of a fixed delay counts from the end of this job
if ARGV[8] ~= '' and fits(KEYS[3], 'list') then
  redis.call('LPUSH', KEYS[3], ARGV[8])
  redis.call('LTRIM', KEYS[3], 0, ARGV[9] - 1)
end
local time = redis.call('TIME')
redis.call('ZREMRANGEBYSCORE', KEYS[2], 0, '(' .. time[1] - 86400)
return answer
