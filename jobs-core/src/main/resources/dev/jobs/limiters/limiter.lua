-- Asks a limiter for room and takes it if there is any; or only looks at the limiter.
--
-- Times are microseconds of the server's clock. What a limiter keeps is bounded: the log of a window has at most as
-- many entries as uses fit into it, a concurrent limiter at most as many permits as its size was, all others two
-- numbers.
--
-- A job that is refused gets a turn: the time at which there will be room for it, after all that were refused before.
-- So jobs come back as fast as the limiter lets them through, and not all at once. A turn reserves nothing.
--
-- The first write is deliberately not a removal, except for permits, which are few: a full Redis refuses what it can't
-- count.
--
-- KEYS  1 hash of the limiter: size, unit: as the code says; wins: the size that was set at run time; at, n, looked,
--       after: its state; turn: the last turn  2 window: times of its uses; concurrent: permits of jobs
--       3 concurrent: other permits, by end  4 concurrent: beats  5 for a permit of a job: in-flight hash of its process
-- ARGV  1 kind  2 size; '' to look only  3 unit in microseconds: the period of a bucket or a window, the time in which
--       one point of the others drains  4 points that this use takes  5 microseconds that the caller waits
--       6 '1' if the caller is a job, which comes back when it is told to
--       7 concurrent: the permit  8 '' for a permit of a job, else milliseconds after which the permit ends
--       9 for a permit of a job: its token, without which it gets none, since nothing would give it back
-- Returns {1 granted | 0 ask again | -1 refused, microseconds until there may be room}
--      or for a look {size, 1 if it was set at run time, what is used, microseconds until there is room}, {} if nothing
--      is known of the limiter
local hash, kind, look = KEYS[1], ARGV[1], ARGV[2] == ''
local cost, patience, returns = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6] == '1'
local HOUR = 3600000
local DAY = 86400000 -- the longest time for which a permit without a job is given
local MONTH = 2592000000 -- a net: permits of jobs end with their job, or with its process
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local function number(text) return tonumber(text or nil) end
local function whole(micros) return string.format('%.0f', math.ceil(micros)) end
local function millis(micros) return whole(micros / 1000) end

local known = redis.call('HMGET', hash, 'wins', 'at', 'n', 'turn', 'size', 'unit')
local wins, at, n, turn = number(known[1]), number(known[2]), number(known[3]), number(known[4])
local size = wins or look and number(known[5]) or number(ARGV[2])
local unit = look and number(known[6]) or number(ARGV[3])
if not size or not unit then return {} end

-- Each kind returns what is used; microseconds until there is room, not above 0 if there is; microseconds from one turn
-- to the next; whether nobody used it for so long that no turn can be pending; and a function that takes the room and
-- returns the new state and the microseconds for which it matters.
local kinds = {}

-- At most size uses in each period of the clock. State: at, the begin of the period; n, its uses.
function kinds.bucket()
  if at and at > now + unit then at = nil end -- the clock had been far ahead: nobody waits until then
  local start = math.max(now - now % unit, at or 0) -- at is later if the clock was set back
  local used = at == start and n or 0
  return used, used < size and 0 or start + unit - now, unit / size, not at or at + unit < start, function()
    return start, used + 1, start + unit - now
  end
end

-- At most size uses in any period. State: the log, the newest at its end; at, the time of the newest.
function kinds.window()
  local log = KEYS[2]
  if at and at > now + unit then -- the clock had been far ahead: nobody waits until then
    redis.call('UNLINK', log)
    at = nil
  end
  now = math.max(now, at or 0) -- the log stays in order if the clock was set back
  local oldest = number(redis.call('LINDEX', log, string.format('%.0f', -size)))
  local used = 0
  if look then -- how many of the log are not over
    local over, length = 0, redis.call('LLEN', log)
    local from, to = 0, length
    while from < to do
      local middle = math.floor((from + to) / 2)
      if number(redis.call('LINDEX', log, middle)) + unit <= now then from = middle + 1 else to = middle end
    end
    over = from
    used = length - over
  end
  return used, oldest and oldest + unit - now or 0, unit / size, not at or at + unit <= now, function()
    redis.call('RPUSH', log, whole(now))
    for _ = 1, 2 do -- more than come in, so the log shrinks to what matters
      if number(redis.call('LINDEX', log, 0)) + unit > now then break end
      redis.call('LPOP', log)
    end
    redis.call('PEXPIRE', log, millis(unit) + 1)
    return now, 0, unit
  end
end

-- A bucket of size points, from which one drains in each unit. State: at, the time when it is empty; n, when that was
-- found.
function kinds.points()
  local empty = math.max(at or 0, now)
  local need = math.min(cost, size) -- what is larger than the whole bucket gets the whole one
  return (empty - now) / unit, empty - now + (need - size) * unit, need * unit, empty == now, function()
    local after = empty + cost * unit
    return after, whole(now), after - now
  end
end

kinds.leaky = kinds.points

-- At most size permits at once. A permit of a job is void when the process that runs the job is no longer alive: if
-- there is no room, some processes are looked at, once a second, one after the other; the next look goes on behind
-- them. So what a refused use costs doesn't grow with them. State: the permits; n, microseconds that permits are held;
-- looked, the time of the last look; after, the last process of it.
local LOOK_EACH, LOOKS = 1000000, 100
local LATEST_TURN = 600000000 -- microseconds from now: it only follows an estimate

local function drop_void(permits, beats, room)
  local last = redis.call('HMGET', hash, 'looked', 'after')
  local looked = number(last[1])
  if looked and looked <= now and now < looked + LOOK_EACH then return 0 end
  local from, process, dropped = last[2] and '[' .. last[2] .. '\11' or '-', nil, 0 -- behind a process and a line break
  for _ = 1, LOOKS do
    local next = redis.call('ZRANGEBYLEX', permits, from, '+', 'LIMIT', 0, 1)[1]
    process = next and string.match(next, '^[^\n]*')
    if not process then break end
    local beat = number(redis.call('ZSCORE', beats, process))
    from = '[' .. process .. '\11'
    if not beat or beat <= 0 then
      dropped = dropped + redis.call('ZREMRANGEBYLEX', permits, '[' .. process .. '\n', '(' .. process .. '\11')
      if dropped >= room then break end
    end
  end
  if not process then redis.call('HDEL', hash, 'after') end -- the next look begins anew
  redis.call('HSET', hash, 'looked', whole(now))
  if process then redis.call('HSET', hash, 'after', process) end
  if not wins and redis.call('PTTL', hash) < 0 then redis.call('PEXPIRE', hash, HOUR) end
  return dropped
end

function kinds.concurrent()
  local permits, timed, beats = KEYS[2], KEYS[3], KEYS[4]
  redis.call('ZREMRANGEBYSCORE', timed, '-inf', millis(now))
  redis.call('ZREMRANGEBYSCORE', timed, '(' .. millis(now + DAY * 1000), '+inf') -- the clock had been ahead
  local held = redis.call('ZCARD', permits) + redis.call('ZCARD', timed)
  if held >= size then held = held - drop_void(permits, beats, held - size + 1) end
  if turn and turn > now + LATEST_TURN then turn = nil end -- the clock had been ahead
  local hold = math.max(100000, math.min(n or 1000000, 600000000))
  local free_in = 0
  if held >= size then
    local first = redis.call('ZRANGE', timed, 0, 0, 'WITHSCORES')
    free_in = math.min(hold, first[2] and math.max(1000, tonumber(first[2]) * 1000 - now) or hold)
  end
  return held, free_in, hold / size, false, function()
    if ARGV[8] == '' then
      redis.call('ZADD', permits, 0, ARGV[7])
      redis.call('PEXPIRE', permits, MONTH)
    else
      redis.call('ZADD', timed, millis(now + tonumber(ARGV[8]) * 1000), ARGV[7])
      redis.call('PEXPIREAT', timed, redis.call('ZRANGE', timed, -1, -1, 'WITHSCORES')[2])
    end
    return now, n, 0
  end
end

-- If the clock was set back, all times of a bucket of points move back with it: what was used stays used.
if (kind == 'leaky' or kind == 'points') and at and n and n > now then
  at, n, turn = at - (n - now), now, turn and turn - (n - now)
  if not look then
    redis.call('HSET', hash, 'at', string.format('%.3f', at), 'n', whole(n))
    if turn then redis.call('HSET', hash, 'turn', whole(turn)) end
  end
end

local used, free_in, between, idle, take = kinds[kind]()
if look then return {size, wins and 1 or 0, string.format('%.3f', used), math.ceil(math.max(0, free_in))} end

local function keep(lasts)
  if not wins then redis.call('PEXPIRE', hash, millis(math.max(HOUR * 1000, lasts, (turn or 0) - now))) end
end

if free_in > 0 then
  local asks_again = free_in <= patience
  if kind == 'concurrent' then asks_again = patience > 0 end -- nobody knows when a permit is given back
  if asks_again then return {0, math.ceil(free_in)} end
  if returns then
    turn = math.max((turn or 0) + between, now + free_in)
    if kind == 'concurrent' then turn = math.min(turn, now + LATEST_TURN) end
    redis.call('HSET', hash, 'turn', whole(turn))
    keep(0)
    free_in = turn - now
  end
  return {-1, math.ceil(free_in)}
end
if ARGV[9] and redis.call('HEXISTS', KEYS[5], ARGV[9]) == 0 then return {-1, 0} end
local lasts
at, n, lasts = take()
if idle and turn then
  redis.call('HDEL', hash, 'turn')
  turn = nil
end
redis.call('HSET', hash, 'size', ARGV[2], 'unit', ARGV[3], 'at', string.format('%.3f', at), 'n', n or '')
keep(lasts)
return {1, 0}
