-- Reads due jobs of the retry set and the scheduled set, by the server's clock, and which limits to look at. A key
-- of the wrong type is reported, but for the last one; the others are still read.
--
-- KEYS  1 retry  2 schedule  3 limits to look at
-- ARGV  1 members of each at most  2 bytes of each at most, unless the first one alone is larger
-- Returns {seconds, microseconds, {member, score, … due retries}, {member, score, … due scheduled jobs},
--          score of the next job that is not due yet or '', {indexes of keys that hold no sorted set},
--          1 if there may be more due jobs, else 0, {limits to look at}}
local SWEEP = 60 -- seconds from one look at all limits, whose member is '', to the next
local time = redis.call('TIME')
local now = string.format('%.6f', time[1] + time[2] / 1000000)
local most, bytes = tonumber(ARGV[1]), tonumber(ARGV[2])
local due, upcoming, broken, more = {}, nil, {}, 0

-- Reads two jobs first, then larger chunks sized by the largest job so far: sizes are unknown until a job is read.
local function read(key)
  local found, looked, room, biggest = {}, 0, bytes, 1
  while looked < most do
    local chunk = math.max(1, math.min(most - looked, looked == 0 and 2 or looked * 4, math.floor(room / biggest)))
    local some = redis.pcall('ZRANGEBYSCORE', key, '-inf', now, 'WITHSCORES', 'LIMIT', looked, chunk)
    if some.err then return some end
    for i = 1, #some, 2 do
      local size = #some[i]
      if looked > 0 and size > room then
        more = 1
        return found
      end
      found[#found + 1] = some[i]
      found[#found + 1] = some[i + 1]
      looked = looked + 1
      room = room - size
      biggest = math.max(biggest, size)
    end
    if #some < 2 * chunk then return found end
  end
  more = 1
  return found
end

local function look_ahead(key)
  local later = redis.pcall('ZRANGEBYSCORE', key, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  if later and (not upcoming or tonumber(later) < tonumber(upcoming)) then upcoming = later end
end

for i = 1, 2 do
  due[i] = read(KEYS[i])
  if due[i].err then
    if not string.find(due[i].err, 'WRONGTYPE', 1, true) then return due[i] end
    broken[#broken + 1] = i
    due[i] = {}
  else
    look_ahead(KEYS[i])
  end
end
local wake = redis.pcall('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, most)
if wake.err then
  wake = {}
else
  look_ahead(KEYS[3])
  local all = redis.call('ZSCORE', KEYS[3], '')
  if all and tonumber(all) > now + 2 * SWEEP then wake[#wake + 1] = '' end -- the clock was set back
end
return {time[1], time[2], due[1], due[2], upcoming or '', broken, more, wake}
