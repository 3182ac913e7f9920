-- Moves parked jobs of one key to the front of their queues, as many as there are free permits. A job that doesn't
-- take its permit soon, because somebody deleted it, for example, must not keep the others waiting: while more are
-- parked, the key is looked at again.
--
-- KEYS  1 permits  2 parked jobs  3 limits  4 limits to look at  5 queues  6… queue lists
-- ARGV  1 limit  2 key  3 jobs at most  4… name of the queue of each list
-- Returns {number of moved jobs, name of the queue that the next one needs and that is missing, or ''}
local permits, parked, limits, wake = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local limit, key, free = ARGV[1], ARGV[2], tonumber(ARGV[3])
redis.call('ZREM', wake, limit .. '\n' .. key) -- removal first: a full Redis then allows the other writes
local many = most(limits, limit)
if many then free = math.min(free, many - out(permits, key)) end
if free <= 0 then return {0, ''} end

local lists = {}
for i = 4, #ARGV do lists[ARGV[i]] = KEYS[i + 2] end
local ready, missing, broken = {}, '', false
for _, job in ipairs(first(parked, key, free)) do
  local queue, _, payload = parts(job)
  local list = lists[queue]
  if queue and not list then
    missing = queue
    break
  end
  local kind = queue and redis.call('TYPE', list)['ok']
  if kind == 'list' or kind == 'none' then ready[#ready + 1] = {job, list, payload, queue} else broken = true end
end
for i = #ready, 1, -1 do -- the first one goes to the front
  redis.call('RPUSH', ready[i][2], ready[i][3])
  redis.call('ZREM', parked, ready[i][1])
  redis.pcall('SADD', KEYS[5], ready[i][4])
end
if missing == '' and (#ready > 0 or broken) and first(parked, key, 1)[1] then
  redis.pcall('ZADD', wake, redis.call('TIME')[1] + RECHECK, limit .. '\n' .. key)
elseif missing ~= '' then
  redis.pcall('ZADD', wake, 0, limit .. '\n' .. key) -- until the next call
end
return {#ready, missing}
