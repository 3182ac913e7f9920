-- One step of a search for the jobs of a batch: reads a part of a place.
--
-- A list is read from its left end. Jobs that come at either end, and jobs that are taken, hide no other one from the
-- next step; jobs that are removed from the middle would. So each step makes sure that the last entry of the step
-- before is still where it was, or farther to the right.
--
-- KEYS  1 the place: a list, a sorted set or a hash
-- ARGV  1 id of the batch  2 entries at most  3 bytes at most, unless the first entry alone is larger
--       4 where to go on: '' at first, then as the step before returned it
--       5 in a list, the last entry that the step before read
-- Returns {where to go on, '' after the last part, 'again' if a list has to be read from the beginning again;
--          the last entry read of a list; {indexes of jobs that are here, 8 hexadecimal digits each}}
local key, batch, most, room = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
-- What Ruby shows of its running jobs contains them as text, with a backslash before each quotation mark.
local JID = '"jid\\*"%s*:%s*\\*"' .. batch .. '(%x%x%x%x%x%x%x%x)'
local here = {}

local function search(entry)
  room = room - #entry
  if string.find(entry, batch, 1, true) and string.find(entry, '"jb\\*":') then
    for index in string.gmatch(entry, JID) do here[#here + 1] = index end
  end
end

local type = redis.call('TYPE', key)['ok']
if type == 'list' then
  local last, met, from = ARGV[5], ARGV[4] == '', 0
  if not met then from = tonumber(ARGV[4]) - 1 end
  local at, biggest, latest, ended = from, 1, '', false
  while at - from < most and room > 0 and not ended do
    -- Two entries first, then larger chunks sized by the largest one so far: sizes are unknown until an entry is read.
    local chunk = math.max(1, math.min(most - at + from, at == from and 2 or (at - from) * 4, math.floor(room / biggest)))
    local some = redis.call('LRANGE', key, at, at + chunk - 1)
    for _, entry in ipairs(some) do
      search(entry)
      biggest = math.max(biggest, #entry)
      met = met or entry == last
      latest = entry
    end
    at = at + #some
    ended = #some < chunk
  end
  local position = met or redis.call('LPOS', key, last)
  if not position then return {'again', '', here} end
  if not met and position < from then return {tostring(position + 1), last, here} end
  return {ended and '' or tostring(at), latest, here}
end

local cursor = ARGV[4] == '' and '0' or ARGV[4]
if type == 'zset' or type == 'hash' then
  local looked = 0
  repeat
    local step
    if type == 'zset' then step = redis.call('ZSCAN', key, cursor, 'MATCH', '*' .. batch .. '*', 'COUNT', 100)
    else step = redis.call('HSCAN', key, cursor, 'COUNT', 1) end
    cursor = step[1]
    for _, part in ipairs(step[2]) do search(part) end
    looked = looked + (type == 'zset' and 100 or 10)
  until cursor == '0' or looked >= most or room <= 0
end
return {cursor == '0' and '' or cursor, '', here}
