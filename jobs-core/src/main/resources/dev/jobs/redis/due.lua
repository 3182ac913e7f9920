-- Reads what is due in the retry and the scheduled set, by this server's clock. A key of the wrong type is reported, and the other one is
-- read all the same.
--
-- KEYS  1 retry  2 schedule
-- ARGV  1 members of each at most  2 bytes of each at most, unless the first one alone is larger
-- Returns {seconds, microseconds, {member, score, … due retries}, {member, score, … due scheduled jobs},
--          score of the first that is not due yet or '', {indexes of keys that are no sorted sets},
--          1 if there may be more that are due, else 0}
local time = redis.call('TIME')
local now = string.format('%.6f', time[1] + time[2] / 1000000)
local most, bytes = tonumber(ARGV[1]), tonumber(ARGV[2])
local due, upcoming, broken, more = {}, nil, {}, 0

-- A few at first, then with care: there is no telling how large they are without a look.
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

for i = 1, 2 do
  due[i] = read(KEYS[i])
  if due[i].err then
    if not string.find(due[i].err, 'WRONGTYPE', 1, true) then return due[i] end
    broken[#broken + 1] = i
    due[i] = {}
  else
    local later = redis.call('ZRANGEBYSCORE', KEYS[i], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if later and (not upcoming or tonumber(later) < tonumber(upcoming)) then upcoming = later end
  end
end
return {time[1], time[2], due[1], due[2], upcoming or '', broken, more}
