-- Moves parked jobs of some keys to the front of their queues, for each key as many as there are free permits; those of
-- paused queues stay. A job that doesn't take its permit soon, because somebody deleted it, for example, must not keep
-- the others waiting: while more are parked, the key is looked at again.
--
-- KEYS  1 limits  2 limits to look at  3 queues  4 paused, then two for each limit: its permits, its parked jobs; then
--       queue lists
-- ARGV  1 number of limits  2 number of keys of limits  3 jobs at most  then the name of each limit; for each key the
--       number of its limit from 1, and the key; the name of the queue of each list
-- Returns {names of queues that are missing: the keys whose jobs need them are still to be looked at, as are those for
--          which no job is left}
local limits, wake, queues, paused = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local count, places, left = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('HDEL', limits, '') -- removal first: a full Redis then allows the other writes
local known = {}
for number = 1, count do
  local name = ARGV[3 + number]
  known[number] = {name = name, permits = KEYS[3 + 2 * number], parked = KEYS[4 + 2 * number], most = most(limits, name)}
end
local first_place = 3 + count
local lists, missing = {}, {}
for i = 1, #ARGV - first_place - 2 * places do
  lists[ARGV[first_place + 2 * places + i]] = KEYS[4 + 2 * count + i]
end

local function go_on(limit, key)
  local place = limit.name .. '\n' .. key
  local free = left
  if limit.most then free = math.min(free, limit.most - out(limit.permits, key)) end
  local ready, lacking, broken = {}, false, false
  for _, job in ipairs(free > 0 and next_ones(limit.parked, key, free, paused) or {}) do
    local queue, _, payload = parts(job)
    local list = lists[queue]
    if queue and not list then
      missing[#missing + 1] = queue
      lacking = true
    else
      local kind = queue and redis.call('TYPE', list)['ok']
      if kind == 'list' or kind == 'none' then ready[#ready + 1] = {job, list, payload, queue} else broken = true end
    end
  end
  if lacking then return end
  redis.call('ZREM', wake, place)
  for i = #ready, 1, -1 do -- the first one goes to the front
    redis.call('RPUSH', ready[i][2], ready[i][3])
    redis.call('ZREM', limit.parked, ready[i][1])
    redis.pcall('SADD', queues, ready[i][4])
  end
  left = left - #ready
  if (#ready > 0 or broken) and first(limit.parked, key, 1)[1] then
    redis.pcall('ZADD', wake, redis.call('TIME')[1] + RECHECK, place)
  end
end

for i = 1, places do
  if left <= 0 then break end
  go_on(known[tonumber(ARGV[first_place + 2 * i - 1])], ARGV[first_place + 2 * i])
end
return missing
