-- Shared: permits of limits, and jobs parked because a limit is full.
--
-- permits of a limit  a sorted set, all scores 0: KEY, line break, incarnation, line break, token of each job that
--                     holds one
-- parked jobs         a sorted set for each limit, all scores 0: KEY, line break, time, line break, queue, line break,
--                     '1' if the job has no other limit, else 'n', maybe a number that makes it unique, line break,
--                     payload
-- limits              a hash: 'd:LIMIT' what workers declare, 's:LIMIT' what people set, which counts if it is there
--
-- most(limits, limit, own)   Returns how many permits there are for each key; nil for any number. own is what the
--                            caller knows, or nil.
-- out(permits, key)          Returns how many permits of a key are held.
-- first(parked, key, count)  Returns the first parked jobs of a key.
-- parts(parked_job)          Returns its queue, whether it has no other limit, and its payload.
-- is_paused(paused, queue)   Returns whether a queue is paused.
-- next_ones(parked, key, count, paused)
--                            Returns those of the first parked jobs that may go on: not those of paused queues. If
--                            there are any of these, it looks no further than at the first hundred jobs.
local RECHECK = 5 -- seconds after which it is asked whether a job that left its parking place took the permit

local function most(limits, limit, own)
  local known = redis.pcall('HMGET', limits, 's:' .. limit, 'd:' .. limit)
  return tonumber(known[1] or own or known[2] or nil)
end

local function range(key) return '[' .. key .. '\n', '(' .. key .. '\n\255' end

local function out(permits, key)
  local held = redis.pcall('ZLEXCOUNT', permits, range(key))
  return type(held) == 'number' and held or 0
end

local function first(parked, key, count)
  local from, to = range(key)
  local found = redis.pcall('ZRANGEBYLEX', parked, from, to, 'LIMIT', 0, count)
  return found.err and {} or found
end

local function parts(parked_job)
  local queue, alone, payload = string.match(parked_job, '^[^\n]*\n[^\n]*\n([^\n]*)\n(.)[^\n]*\n(.*)$')
  return queue, alone == '1', payload
end

local function is_paused(paused, queue) return redis.pcall('SISMEMBER', paused, queue) == 1 end

local function next_ones(parked, key, count, paused)
  if redis.pcall('EXISTS', paused) ~= 1 then return first(parked, key, count) end
  local found = {}
  for _, job in ipairs(first(parked, key, 100)) do
    if #found == count then break end
    if not is_paused(paused, (parts(job))) then found[#found + 1] = job end
  end
  return found
end
