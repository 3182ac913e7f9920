-- One beat of a process: raises its counter, and runs a miss round if one is due. With it go leadership and what the process wants to know.
--
-- A process is given up after M rounds in which its counter stood still. A round is a write and comes with its runner's own beat, so none
-- happens while Redis takes no writes; and it is due only for a runner that is itself a beat older than the last round.
--
-- KEYS  1 beats  2 seen  3 round  4 in-flight hash of this process  5 dear-leader
-- ARGV  1 incarnation  2 milliseconds between rounds  3 misses that give up a process  4 lease in milliseconds
--       5 '1' to register a new incarnation  6 milliseconds for which to lead, 0 not to stand
-- Returns {ok, jobs in my hash, seconds, microseconds, leader or '', live processes, {processes to reap}}
--      or {fenced} if this incarnation was given up, or {lease, theirs} if live processes have another lease
local beats, seen, round, inflight, leader = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local me, spacing, limit, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]

redis.call('ZREM', beats, '') -- a removal first: a full Redis then lets the rest through
local counter = redis.call('ZSCORE', beats, me)
local theirs = redis.call('HGET', seen, '#lease')
local waits = false
if not counter and ARGV[5] == '1' then
  waits = theirs and theirs ~= lease and redis.call('ZCOUNT', beats, '(0', '+inf') > 0
  counter = 0
end
if not counter or tonumber(counter) < 0 then return {'fenced'} end
counter = tonumber(counter) + 1
if waits then
  -- Those who have the other lease may all be dead, with nobody but those who wait to find out: by their timing, not by mine.
  spacing = math.ceil((spacing + 1) * tonumber(theirs) / tonumber(lease))
else
  redis.call('ZADD', beats, counter, me)
  if theirs ~= lease then redis.call('HSET', seen, '#lease', lease) end
end

local leads = redis.pcall('GET', leader)
if waits then -- only the living lead
elseif tonumber(ARGV[6]) > 0 then
  if not leads then
    redis.call('SET', leader, me, 'PX', ARGV[6])
    leads = me
  elseif leads == me then
    redis.call('PEXPIRE', leader, ARGV[6])
  end
elseif leads == me then
  redis.call('DEL', leader)
  leads = false
end

local reap = {}
local left = redis.call('PTTL', round)
local due = left < 0 or left > spacing -- more than was ever set: the server's clock went back
if due then
  local mine = redis.call('HGET', seen, me)
  local old = mine and tonumber(string.match(mine, '^(%d+):'))
  due = not old or redis.call('HGET', seen, '#by') == me and counter > old or counter >= old + 2
end
if due then
  local before, now = {}, {}
  local flat = redis.call('HGETALL', seen)
  for i = 1, #flat, 2 do before[flat[i]] = flat[i + 1] end
  local members = redis.call('ZRANGE', beats, 0, -1, 'WITHSCORES')
  for i = 1, #members, 2 do
    local name, beat = members[i], tonumber(members[i + 1])
    if beat < 0 then
      reap[#reap + 1] = name
    else
      local misses = 0
      if before[name] then
        local at, missed = string.match(before[name], '^(%d+):(%d+)$')
        if tonumber(at) == beat then misses = tonumber(missed) + 1 end
      end
      if misses >= limit then
        redis.call('ZADD', beats, -1, name)
        reap[#reap + 1] = name
        if leads == name then
          redis.call('DEL', leader)
          leads = false
        end
      else
        now[name] = true
        redis.call('HSET', seen, name, string.format('%.0f:%d', beat, misses))
      end
    end
  end
  for name in pairs(before) do
    if string.sub(name, 1, 1) ~= '#' and not now[name] then redis.call('HDEL', seen, name) end
  end
  redis.call('HSET', seen, '#by', me)
  redis.call('SET', round, '1', 'PX', spacing)
end
if waits then return {'lease', theirs} end

local held, line = redis.call('HLEN', inflight), 0
while redis.call('HEXISTS', inflight, '#' .. line) == 1 do
  held = held - 1
  line = line + 1
end
local time = redis.call('TIME')
return {'ok', held, time[1], time[2], type(leads) == 'string' and leads or '', redis.call('ZCOUNT', beats, '(0', '+inf'), reap}
