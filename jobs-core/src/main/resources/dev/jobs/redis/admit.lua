-- Admits claimed jobs that have limits: each gets a permit of every one of its limits, or none, and is then parked
-- at the first limit that is full. A call may be repeated: a job that has its permits keeps them, and one that was
-- parked is gone from the in-flight hash.
--
-- KEYS  1 in-flight hash of this process  2 beats  3 limits by token of this process  4 limits  5 limits to look at
--       6 ledger, then two for each limit: its permits, its parked jobs; then keys of effects
-- ARGV  1 incarnation  2 number of limits  3 number of jobs  4 index of the first effect
--       then two for each limit: name, permits for each key or '' if this process doesn't know
--       then for each job: token, queue, time by which parked jobs are sorted, number of its limits;
--       for each of these: number of the limit from 1, key
--       and effects of the jobs that are parked
-- Returns {} if this process was given up, else
--         {per job 1 admitted | 2 parked | 0 not held | -1 neither: a key has the wrong type}
local inflight, by_token, limits, wake = KEYS[1], KEYS[3], KEYS[4], KEYS[5]
local me, count, jobs, at = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), 4
local beat = redis.call('ZSCORE', KEYS[2], me)
if not beat or tonumber(beat) <= 0 then return {} end

redis.call('HDEL', inflight, '') -- removal first: a full Redis then allows the other writes
local known = {}
for number = 1, count do
  local name, own = ARGV[at + 1], ARGV[at + 2]
  local permits, parked = KEYS[5 + 2 * number], KEYS[6 + 2 * number]
  if own ~= '' and redis.pcall('HEXISTS', limits, 'd:' .. name) == 0 then
    redis.pcall('HSET', limits, 'd:' .. name, own)
    redis.pcall('ZADD', wake, 'NX', 0, '')
  end
  known[number] = {
    name = name, permits = permits, parked = parked, fits = fits(permits, 'zset') and fits(parked, 'zset'),
    most = most(limits, name, own ~= '' and own or nil)
  }
  at = at + 2
end
if not fits(by_token, 'hash') then known = {} end

local results, moved = {}, 0
local failure = each(jobs, tonumber(ARGV[4]), function(number)
  local token, queue, time, own = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], tonumber(ARGV[at + 4])
  local from = at + 4
  at = from + 2 * own
  results[number] = 0
  local payload = redis.call('HGET', inflight, token)
  if not payload then return nil end
  results[number] = 1
  local full, spec
  for i = from + 1, at, 2 do
    local limit, key = known[tonumber(ARGV[i])], ARGV[i + 1]
    if not limit or not limit.fits then
      results[number] = -1
      return nil
    end
    spec = (spec and spec .. '\n' or '') .. limit.name .. '\n' .. key
  end
  local mine = redis.call('HGET', by_token, token) -- after another permit that was handed to it, which it gives back
  if mine and string.sub('\n' .. mine, -#spec - 1) == '\n' .. spec then return nil end
  for i = from + 1, at, 2 do
    local limit = known[tonumber(ARGV[i])]
    if limit.most and out(limit.permits, ARGV[i + 1]) >= limit.most then
      full = i
      break
    end
  end
  if not full then
    redis.call('HSET', by_token, token, mine and mine .. '\n' .. spec or spec)
    for i = from + 1, at, 2 do
      redis.call('ZADD', known[tonumber(ARGV[i])].permits, 0, ARGV[i + 1] .. '\n' .. me .. '\n' .. token)
    end
    return nil
  end
  local prefix = ARGV[full + 1] .. '\n' .. time .. '\n' .. queue .. '\n' .. (own == 1 and '1' or 'n')
  local parked, twin = known[tonumber(ARGV[full])].parked, ''
  while redis.call('ZADD', parked, 'NX', 0, prefix .. twin .. '\n' .. payload) == 0 do twin = (tonumber(twin) or 0) + 1 end
  redis.call('HDEL', inflight, token)
  moved = moved + 1
  results[number] = 2
  if own > 1 then -- it may have left the parking place of another limit, whose permit others can take now
    for i = from + 1, at, 2 do
      local limit = known[tonumber(ARGV[i])]
      if i ~= full and first(limit.parked, ARGV[i + 1], 1)[1] then
        redis.pcall('ZADD', wake, 0, limit.name .. '\n' .. ARGV[i + 1])
      end
    end
  end
  return 'handed_back'
end)
if moved > 0 then redis.pcall('HINCRBY', KEYS[6], 'moved', moved) end
if failure then error(failure, 0) end
return results
