-- Shared: rates. One number for each key decides how many may start: the time from which the next one may, in
-- microseconds of the server's clock (generic cell rate). Each start moves it on by the period divided by the rate. It
-- is never so far in the past that more than a burst may start at once. So in a period, without the instant of its end,
-- at most rate + burst - 1 start.
--
-- rate  a text: how many, the period in microseconds, the burst, with spaces between them
--
-- micros()                     Returns the server's clock.
-- next_start(rate, kept, now)  Returns from when the next one may start, and how much later the one after it. kept is
--                              the number, false if there is none.
-- starts(next, every, now)     Returns how many may start now. After count of them, next + count * every is to be kept.
-- whole(micros)                Returns a time as text to be kept.
-- seconds(micros)              Returns a time as the score of a sorted set.
local function micros()
  local time = redis.pcall('TIME')
  return (time[1] or 0) * 1000000 + (time[2] or 0)
end

local function next_start(rate, kept, now)
  local many, period, burst = string.match(rate, '^(%d+) (%d+) (%d+)$')
  local every = math.max(1, math.ceil(period / many))
  local next = tonumber(kept) or 0
  if next > now + every then next = now end -- the rate was raised, or the clock set back: nobody waits for the old time
  return math.max(next, now - (burst - 1) * every), every
end

local function starts(next, every, now) return next > now and 0 or math.floor((now - next) / every) + 1 end

local function whole(time) return string.format('%.0f', time) end

local function seconds(time) return string.format('%.6f', time / 1000000) end
