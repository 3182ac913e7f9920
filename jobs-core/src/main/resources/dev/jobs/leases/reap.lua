-- Hands on some jobs of a given-up process: to the front of their queues, or to the dead set if they outlived their
-- workers too often or are no valid entries. A process that holds no more jobs is forgotten. A job is written to its
-- new place before it leaves the old one, so an error in between loses nothing.
--
-- KEYS  1 in-flight hash of the victim  2 beats  3 seen  4 ledger  5 recovered  6 recovered: times  7 dead  8 queues
--       9… queue lists, then keys of effects
-- ARGV  1 victim  2 recoveries that bury a job  3 seconds to remember recoveries
--       4 dead set: entries at most  5 dead set: seconds kept  6 number of jobs
--       then five for each job: token, index of its queue list, name of its queue or '' if it has none, '1' if it is
--       discarded instead of buried, what is buried or '' for the job as it is
--       and effects of jobs that become 'recovered' or 'poisoned'
-- Returns {-1} if the victim was not given up, else
--         {jobs put back, {tokens of buried jobs}, {tokens of jobs left because the key of their queue holds no list},
--          1 if the victim is forgotten}
local inflight, beats, recovered, times, dead = KEYS[1], KEYS[2], KEYS[5], KEYS[6], KEYS[7]
local victim = ARGV[1]
local score = redis.call('ZSCORE', beats, victim)
if not score or tonumber(score) >= 0 then return {-1} end
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000

local counts, buries = fits(recovered, 'hash') and fits(times, 'zset'), fits(dead, 'zset')

-- Expired counts go first. The removal also makes a full Redis allow the other writes.
redis.call('ZREM', beats, '')
if counts then
  local old = redis.call('ZRANGEBYSCORE', times, '-inf', now - tonumber(ARGV[3]), 'LIMIT', 0, 100)
  if #old > 0 then
    redis.call('HDEL', recovered, unpack(old))
    redis.call('ZREM', times, unpack(old))
  end
end

local back, buried, left = 0, {}, {}
local jobs = tonumber(ARGV[6])
local failure = each(jobs, 7 + 5 * jobs, function(number)
  local at = 2 + 5 * number
  local token, list, name, discard = ARGV[at], KEYS[8 + tonumber(ARGV[at + 1])], ARGV[at + 2], ARGV[at + 3] == '1'
  local payload = redis.call('HGET', inflight, token)
  if not payload then return nil end
  local hash, died = redis.sha1hex(payload), 1
  if counts then died = (tonumber(redis.call('HGET', recovered, hash) or 0) or 0) + 1 end
  local buries_it = (name == '' or died >= tonumber(ARGV[2])) and (discard or buries)
  if not buries_it and not (name ~= '' and fits(list, 'list')) then
    left[#left + 1] = token
    return nil
  end
  if buries_it then
    if not discard then bury(dead, ARGV[at + 4] == '' and payload or ARGV[at + 4], time, ARGV[4], ARGV[5]) end
    buried[#buried + 1] = token
  else
    redis.call('RPUSH', list, payload)
    redis.pcall('SADD', KEYS[8], name)
    back = back + 1
  end
  redis.call('HDEL', inflight, token)
  if counts then
    redis.call('HSET', recovered, hash, died)
    redis.call('ZADD', times, now, hash)
    local short = sample(payload)
    if short then
      redis.call('HSET', recovered, short, 1)
      redis.call('ZADD', times, now, short)
    end
  end
  return buries_it and 'poisoned' or 'recovered', token
end)
if counts then -- both keys expire when no worker has died for that long
  redis.call('EXPIRE', recovered, ARGV[3])
  redis.call('EXPIRE', times, ARGV[3])
end
if back > 0 then redis.pcall('HINCRBY', KEYS[4], 'recovered', back) end
if #buried > 0 then redis.pcall('HINCRBY', KEYS[4], 'poisoned', #buried) end
if failure then error(failure, 0) end

local held, line = redis.call('HLEN', inflight), 0
while redis.call('HEXISTS', inflight, '#' .. line) == 1 do
  held = held - 1
  line = line + 1
end
if held > 0 then return {back, buried, left, 0} end
redis.call('DEL', inflight)
redis.call('ZREM', beats, victim)
redis.pcall('HDEL', KEYS[3], victim)
return {back, buried, left, 1}
