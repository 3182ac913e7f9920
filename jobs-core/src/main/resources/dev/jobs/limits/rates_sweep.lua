-- One step through the starts by rates: forgets keys whose time is so long ago that they have all of their burst again,
-- and those of limits without a rate.
--
-- KEYS  1 starts by rates  2 limits
-- ARGV  1 cursor  2 keys to look at, approximately
-- Returns the next cursor, '0' at the end
local step = redis.pcall('HSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
if step.err then return '0' end
local now, rates, over = micros(), {}, {''}
for i = 1, #step[2], 2 do
  local limit = string.match(step[2][i], '^([^\n]*)\n')
  if limit then
    if rates[limit] == nil then
      local _, rate = most(KEYS[2], limit)
      rates[limit] = rate or false
    end
    if not rates[limit] or next_start(rates[limit], step[2][i + 1], now) == next_start(rates[limit], false, now) then
      over[#over + 1] = step[2][i]
    end
  end
end
for i = 1, #over, 1000 do redis.call('HDEL', KEYS[1], unpack(over, i, math.min(i + 999, #over))) end
return step[1]
