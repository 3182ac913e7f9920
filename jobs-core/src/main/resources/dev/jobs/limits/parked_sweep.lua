-- Looks through the parked jobs of a limit, in their order, for those that must not be run, and moves these to the front
-- of their queues, where workers end them without a permit. Those of paused queues stay. Reads two jobs first, then more
-- of them by the size of the largest so far: sizes are unknown until a job is read.
--
-- KEYS  1 parked jobs  2 queues  3 paused  4 cancelled jobs  5 cancelled batches, then queue lists
-- ARGV  1 index of the first job to look at  2 jobs at most  3 bytes after which to stop  then the name of each list
-- Returns {index at which to go on, -1 at the end; jobs moved; {names of queues that are missing}}. If any is missing,
-- nothing was moved, and the index is that of the call.
local parked, paused = KEYS[1], KEYS[3]
local begin, left, room = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.pcall('SREM', KEYS[2], '') -- removal first: a full Redis then allows the other writes
local lists, over, missing = {}, {}, {}
for i = 4, #ARGV do lists[ARGV[i]] = KEYS[2 + i] end
local at, biggest, ended, any_paused = begin, 1, false, redis.pcall('EXISTS', paused) == 1
while left > 0 and room > 0 and not ended do
  local chunk = math.max(1, math.min(left, at == begin and 2 or 4 * (at - begin), math.floor(room / biggest)))
  local jobs = redis.pcall('ZRANGE', parked, at, at + chunk - 1)
  for _, job in ipairs(jobs) do
    local queue, _, payload, conditions = parts(job)
    if conditions and unmet(conditions, KEYS[4], KEYS[5]) and not (any_paused and is_paused(paused, queue)) then
      over[#over + 1] = {job = job, queue = queue, payload = payload}
      if not lists[queue] then missing[#missing + 1] = queue end
    end
    biggest, room = math.max(biggest, #job), room - #job
  end
  at, left, ended = at + #jobs, left - #jobs, #jobs < chunk
end
if #missing > 0 then return {begin, 0, missing} end
local moved = 0
for i = #over, 1, -1 do -- the first one goes to the front
  local list = lists[over[i].queue]
  local kind = redis.call('TYPE', list)['ok']
  if kind == 'list' or kind == 'none' then
    redis.call('RPUSH', list, over[i].payload)
    redis.call('ZREM', parked, over[i].job)
    redis.pcall('SADD', KEYS[2], over[i].queue)
    moved = moved + 1
  end
end
return {ended and -1 or at - moved, moved, {}}
