-- One beat of a process: raises its counter, and runs a round if one is due. Also renews or resigns leadership and
-- returns the state of the cluster.
--
-- A round adds the time between two rounds to the quiet time of each process whose counter did not change. A process
-- whose quiet time reaches its own lease is given up. The shortest lease of all live processes sets the time between
-- rounds. A process that was seen and is missing in beats is given up, too: somebody removed it there, and it may hold
-- jobs. A round is a write and happens within a beat of its runner, so there is none while Redis refuses writes; and
-- only a process whose previous beat is not older than the last round may run it.
--
-- KEYS  1 beats  2 seen  3 round  4 in-flight hash of this process  5 dear-leader  6… roles for which it stands
-- ARGV  1 incarnation  2 its lease in milliseconds  3 rounds in a lease
--       4 '1' to register a new incarnation  5 milliseconds of leadership and of each role, 0 to resign
-- Returns {ok, jobs in my hash, seconds, microseconds, leader or '', live processes, {processes to reap},
--          milliseconds between rounds, since when Redis has had this data, {numbers of the roles that it has}}
--      or {fenced} if this incarnation was given up or is unknown
local beats, seen, round, inflight = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local me, lease, rounds = ARGV[1], ARGV[2], tonumber(ARGV[3])
local LONGEST = 600000 -- the longest lease; used where a lease is unknown
local ENTRY = '^(%d*):(%d+):(%d*)$' -- counter at the last round, empty before the first; quiet time; lease

redis.call('ZREM', beats, '') -- removal first: a full Redis then allows the other writes
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
local due = left < 0 or spacing and left > spacing -- more than was ever set: the server's clock was set back
local apart = math.ceil(tonumber(lease) / rounds)
if not spacing or spacing > apart then
  spacing = apart
  redis.call('HSET', seen, '#spacing', spacing)
  if left > spacing then redis.call('PEXPIRE', round, spacing) end -- the next round must not add more than has passed
end

local leads = {}
for i = 5, #KEYS do
  leads[i] = redis.pcall('GET', KEYS[i])
  if tonumber(ARGV[5]) > 0 then
    if not leads[i] then
      redis.call('SET', KEYS[i], me, 'PX', ARGV[5])
      leads[i] = me
    elseif leads[i] == me then
      redis.call('PEXPIRE', KEYS[i], ARGV[5])
    end
  elseif leads[i] == me then
    redis.call('DEL', KEYS[i])
    leads[i] = false
  end
end

local reap = {}
if due then
  old = tonumber(old or nil)
  due = not old or known[4] == me and counter > old or counter >= old + 2
end
if due then
  local before, now, there = {}, {}, {}
  local flat = redis.call('HGETALL', seen)
  for i = 1, #flat, 2 do before[flat[i]] = flat[i + 1] end
  local members = redis.call('ZRANGE', beats, 0, -1, 'WITHSCORES')
  local shortest = tonumber(lease)
  for i = 1, #members, 2 do
    local name, beat = members[i], tonumber(members[i + 1])
    there[name] = true
    if beat < 0 then
      reap[#reap + 1] = name
    else
      local at, quiet, its = string.match(before[name] or '', ENTRY)
      quiet = at and tonumber(at) == beat and quiet + spacing or 0
      local most = its and tonumber(its) or LONGEST
      if quiet >= most then
        redis.call('ZADD', beats, -1, name)
        reap[#reap + 1] = name
        for key = 5, #KEYS do
          if leads[key] == name then
            redis.call('DEL', KEYS[key])
            leads[key] = false
          end
        end
      else
        now[name] = true
        shortest = math.min(shortest, most)
        redis.call('HSET', seen, name, string.format('%.0f:%.0f:%s', beat, quiet, its or ''))
      end
    end
  end
  for name in pairs(before) do
    if string.sub(name, 1, 1) ~= '#' and not now[name] then
      if not there[name] then
        redis.call('ZADD', beats, -1, name)
        reap[#reap + 1] = name
      end
      redis.call('HDEL', seen, name)
    end
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
local roles = {}
for i = 6, #KEYS do
  if leads[i] == me then roles[#roles + 1] = i - 5 end
end
return {'ok', held, time[1], time[2], type(leads[5]) == 'string' and leads[5] or '', redis.call('ZCOUNT', beats, '(0', '+inf'),
  reap, spacing, since, roles}
