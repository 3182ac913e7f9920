-- Shared: permits of limits, and jobs parked because a limit is full or its rate lets them start later.
--
-- permits of a limit  a sorted set, all scores 0: KEY, line break, incarnation, line break, token of each job that
--                     holds one
-- parked jobs         a sorted set for each limit, all scores 0: KEY, line break, time, line break, queue, line break,
--                     '1' if the job has no other limit, else 'n', a number that sorts those of one millisecond by
--                     when they were parked, maybe the job's conditions, as in shared_conditions; line break, payload
-- limits              a hash: 'd:LIMIT' what workers declare, 's:LIMIT' what people set, which counts if it is there.
--                     Each is a number of permits; or that, or '-' for any number, a space and a rate
--
-- numbers(text)              Returns the permits and the rate of what is declared or set; nil for what is missing.
-- most(limits, limit, own, wake)
--                            Returns how many permits there are for each key, nil for any number, and the rate, if
--                            there is one. own is what the caller declares, or nil; then it is stored if nothing is.
-- out(permits, key)          Returns how many permits of a key are held.
-- first(parked, key, count)  Returns the first parked jobs of a key.
-- parts(parked_job)          Returns its queue, whether it has no other limit, its payload, and its conditions.
-- is_paused(paused, queue)   Returns whether a queue is paused.
local BELL = 60000 -- milliseconds for which the key of a bell is kept: only its changes are of use
local RECHECK = 5 -- seconds after which it is asked whether a job that was parked took the permit

local function numbers(text)
  local permits = tonumber(text)
  if permits or not text then return permits end
  local some, rate = string.match(text, '^(%S+) ([1-9]%d* %d+ [1-9]%d*)$')
  return tonumber(some), rate
end

local function most(limits, limit, own, wake)
  local known = redis.pcall('HMGET', limits, 's:' .. limit, 'd:' .. limit)
  if own and not known.err and not known[2] then
    redis.pcall('HSET', limits, 'd:' .. limit, own)
    redis.pcall('ZADD', wake, 'NX', 0, '')
  end
  local permits, rate = numbers(own or known[2])
  if not known[1] then return permits, rate end
  local set, its_rate = numbers(known[1])
  return set or permits, its_rate or rate
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
  local queue, alone, conditions, payload =
    string.match(parked_job, '^[^\n]*\n[^\n]*\n([^\n]*)\n(.)%d*([^\n]*)\n(.*)$')
  return queue, alone == '1', payload, conditions
end

local function is_paused(paused, queue) return redis.pcall('SISMEMBER', paused, queue) == 1 end
