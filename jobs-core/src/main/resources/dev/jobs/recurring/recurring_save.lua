-- Stores a recurring job, or changes some of its fields. All other fields stay, including those that Ruby stored.
--
-- If a job is new, resumed or gets another cron text, the slot before now counts as taken, so that nothing fires at
-- once. A job that says what becomes of missed slots remembers it as the slot up to which all are decided.
--
-- KEYS  1 the recurring job  2 all recurring jobs  3 its slots  4 all whose schedules Ruby can't read, instead of 2
-- ARGV  1 member of all recurring jobs  2 'save', 'create' to store a new one only, or 'change' to change an existing one only
--       3 slot before now as ISO 8601, or ''
--       4 number of fields set only if it is new
--       5… name and value of each of these, then of each field that is always set
-- Returns 1 if it is new, 0 if it existed, -1 if nothing was done: 'create' found one, or 'change' none
local types = {'hash', 'set', 'zset', 'set'}
for i = 1, 4 do
  local found = redis.call('TYPE', KEYS[i])['ok']
  if found ~= 'none' and found ~= types[i] then
    return redis.error_reply('WRONGTYPE a key of this recurring job is a ' .. found .. ' and should be a ' .. types[i])
  end
end
local known = redis.call('EXISTS', KEYS[1]) == 1
if ARGV[2] == (known and 'create' or 'change') then return -1 end
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
redis.call('ZREMRANGEBYSCORE', KEYS[3], 0, string.format('(%.6f', now - 86400)) -- removal first: a full Redis then allows the other writes
local before = redis.call('HMGET', KEYS[1], 'cron', 'status')
if ARGV[2] == 'save' then redis.call('HDEL', KEYS[1], 'jobs_missed', 'jobs_overlap') end
for i = known and 5 + 2 * tonumber(ARGV[4]) or 5, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
local after = redis.call('HMGET', KEYS[1], 'cron', 'status', 'jobs_missed', 'jobs_passed')
local own = string.find(after[1] or '', '^@every ') or string.find(after[1] or '', '^@delay ')
redis.call('SREM', KEYS[own and 2 or 4], ARGV[1])
redis.call('SADD', KEYS[own and 4 or 2], ARGV[1])
local changed = before[1] ~= after[1] or before[2] ~= after[2]
if changed then redis.call('HDEL', KEYS[1], 'jobs_due') end
local begins = ARGV[3] ~= '' and changed
if begins then redis.call('ZADD', KEYS[3], 'NX', string.format('%.6f', now), ARGV[3]) end
if not after[3] then
  redis.call('HDEL', KEYS[1], 'jobs_passed')
elseif ARGV[3] ~= '' and (begins or not after[4]) and (after[4] or '') < ARGV[3] then
  redis.call('HSET', KEYS[1], 'jobs_passed', ARGV[3])
end
return known and 0 or 1
