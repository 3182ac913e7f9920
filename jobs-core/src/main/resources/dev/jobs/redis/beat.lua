-- One beat of a process: raises its counter, and runs a round if one is due. With it go leadership and what the process wants to know.
--
-- A round adds the time between two rounds to the quiet of each process whose counter stood still. A process whose quiet reaches its own
-- lease is given up. The shortest lease of the living decides how far rounds are apart. A round is a write and comes with its runner's own
-- beat, so none happens while Redis takes no writes; and it is due only for a runner that is itself a beat older than the last round.
--
-- KEYS  1 beats  2 seen  3 round  4 in-flight hash of this process  5 dear-leader
-- ARGV  1 incarnation  2 its lease in milliseconds  3 rounds in a lease
--       4 '1' to register a new incarnation  5 milliseconds for which to lead, 0 not to stand
-- Returns {ok, jobs in my hash, seconds, microseconds, leader or '', live processes, {processes to reap},
--          milliseconds between rounds, since when these data are there}
--      or {fenced} if this incarnation was given up or is not known
local beats, seen, round, inflight, leader = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local me, lease, rounds = ARGV[1], ARGV[2], tonumber(ARGV[3])
local LONGEST = 600000 -- no lease is longer; stands for one that is not known
local ENTRY = '^(%d*):(%d+):(%d*)$' -- counter at the last round, empty before the first; quiet for so long; lease

redis.call('ZREM', beats, '') -- a removal first: a full Redis then lets the rest through
local counter = redis.call('ZSCORE', beats, me)
if not counter and ARGV[4] == '1' then counter = 0 end
if not counter or tonumber(counter) < 0 then return {'fenced'} end
counter = tonumber(counter) + 1
local known = redis.call('HMGET', seen, me, '#spacing', '#since', '#by')
local old, _, mine = string.match(known[1] or '', ENTRY)
local spacing, since = tonumber(known[2] or nil), known[3]
redis.call('ZADD', beats, counter, me)

local time = redis.call('TIME')
if not since then
  since = time[1] .. '.' .. time[2]
  redis.call('HSET', seen, '#since', since)
end
if mine ~= lease then
  redis.call('HSET', seen, me, ':0:' .. lease)
  old = nil
end
local left = redis.call('PTTL', round)
local due = left < 0 or spacing and left > spacing -- more than was ever set: the server's clock went back
local apart = math.ceil(tonumber(lease) / rounds)
if not spacing or spacing > apart then
  spacing = apart
  redis.call('HSET', seen, '#spacing', spacing)
  if left > spacing then redis.call('PEXPIRE', round, spacing) end -- the next round counts no more than has passed
end

local leads = redis.pcall('GET', leader)
if tonumber(ARGV[5]) > 0 then
  if not leads then
    redis.call('SET', leader, me, 'PX', ARGV[5])
    leads = me
  elseif leads == me then
    redis.call('PEXPIRE', leader, ARGV[5])
  end
elseif leads == me then
  redis.call('DEL', leader)
  leads = false
end

local reap = {}
if due then
  old = tonumber(old or nil)
  due = not old or known[4] == me and counter > old or counter >= old + 2
end
if due then
  local before, now = {}, {}
  local flat = redis.call('HGETALL', seen)
  for i = 1, #flat, 2 do before[flat[i]] = flat[i + 1] end
  local members = redis.call('ZRANGE', beats, 0, -1, 'WITHSCORES')
  local shortest = tonumber(lease)
  for i = 1, #members, 2 do
    local name, beat = members[i], tonumber(members[i + 1])
    if beat < 0 then
      reap[#reap + 1] = name
    else
      local at, quiet, its = string.match(before[name] or '', ENTRY)
      quiet = at and tonumber(at) == beat and quiet + spacing or 0
      local limit = its and tonumber(its) or LONGEST
      if quiet >= limit then
        redis.call('ZADD', beats, -1, name)
        reap[#reap + 1] = name
        if leads == name then
          redis.call('DEL', leader)
          leads = false
        end
      else
        now[name] = true
        shortest = math.min(shortest, limit)
        redis.call('HSET', seen, name, string.format('%.0f:%.0f:%s', beat, quiet, its or ''))
      end
    end
  end
  for name in pairs(before) do
    if string.sub(name, 1, 1) ~= '#' and not now[name] then redis.call('HDEL', seen, name) end
  end
  spacing = math.ceil(shortest / rounds)
  redis.call('HSET', seen, '#by', me, '#spacing', spacing)
  redis.call('SET', round, '1', 'PX', spacing)
end

local held, line = redis.call('HLEN', inflight), 0
while redis.call('HEXISTS', inflight, '#' .. line) == 1 do
  held = held - 1
  line = line + 1
end
return {'ok', held, time[1], time[2], type(leads) == 'string' and leads or '', redis.call('ZCOUNT', beats, '(0', '+inf'), reap,
  spacing, since}
