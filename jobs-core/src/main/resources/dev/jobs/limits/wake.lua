-- Moves parked jobs of some keys to the front of their queues, for each key as many as there are free permits and as
-- may start by its rate; those of paused queues stay. A job that doesn't take its permit soon, because somebody deleted
-- it, for example, must not keep the others waiting: while more are parked, the key is looked at again after some
-- seconds. If it has a rate, that is when the next one may start after those that were moved, if that is earlier: then
-- a look moves only the jobs for the time since the look before, even if those of that one haven't started yet. At a
-- slower rate each such look moves one more until one has started; the others are parked again when they ask.
--
-- Jobs that must not be run go to their queues before it is counted how many may go on: they take no permit and no start
-- when they ask, so workers end them at once. Those between the ones that may go on do so as well. If there are more
-- than a call moves, the key is still among those to look at.
--
-- If a key has free permits for more jobs than one call moves, in number or in bytes, that begins with the last of
-- these, and the caller goes on with those before them. So they get to the front of the queue in their order, and no
-- more of them than there are permits, though none of them has taken its own yet.
--
-- KEYS  1 limits  2 limits to look at  3 queues  4 paused  5 starts by rates  6 cancelled jobs  7 cancelled batches,
--       then two for each limit: its permits, its parked jobs; then queue lists
-- ARGV  1 number of limits  2 number of keys of limits  3 jobs at most  4 if the caller goes on with a key: with how
--       many of its first jobs; else ''  5 bytes of jobs at most, unless the first one alone is larger
--       then the name of each limit; for each key the number of its limit from 1, and the key; the name of the queue of
--       each list
-- Returns {{names of queues that are missing}, {numbers of the keys whose jobs need them, which are still to be looked
--          at}, {number of a key with which to go on, with how many of its first jobs, …}}
-- Keys to which the jobs or bytes at most didn't reach are still among those to look at; so are those after keys with
-- many jobs of paused queues.
local MOST = 10000 -- jobs of a key that go on with one look, in several calls
local PASSED_JOBS, PASSED = 1000, 4 -- jobs of paused queues, and how many times the bytes, that a call passes by
local limits, wake, queues, paused, rates = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local count, key_count, left, rest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local bytes, room, biggest, begun = tonumber(ARGV[5]), tonumber(ARGV[5]), 1, false
local passed_jobs, passed_bytes = 0, 0
redis.call('HDEL', limits, '') -- removal first: a full Redis then allows the other writes
local known = {}
for number = 1, count do
  local name = ARGV[5 + number]
  local many, rate = most(limits, name)
  known[number] = {
    name = name, permits = KEYS[6 + 2 * number], parked = KEYS[7 + 2 * number], most = many, rate = rate
  }
end
local first_key = 5 + count
local lists, missing, lacking, more = {}, {}, {}, {}
for i = 1, #ARGV - first_key - 2 * key_count do
  lists[ARGV[first_key + 2 * key_count + i]] = KEYS[7 + 2 * count + i]
end

-- Whether a job fits into what this call may still move. The first one always does.
local function fits_in(job)
  if begun and #job > room then
    room = 0
    return false
  end
  begun, room, biggest = true, room - #job, math.max(biggest, #job)
  return true
end

-- How many jobs to read next: few at first, since sizes are unknown until a job is read.
local function chunk(looked, most)
  return math.max(1, math.min(most, looked == 0 and 2 or looked * 4, math.floor(room / biggest)))
end

-- The first jobs of a key that may go on, at most so many, and behind them those before and between them that must not
-- be run; not those of paused queues. If there are any of these, it looks no further than at the first hundred jobs, and
-- a few megabytes. Returns also how many may go on, whether more than this call moves must not be run, and whether they
-- don't all fit into the call.
local function first_ones(parked, key, many, any_paused)
  local from, to = range(key)
  local over, found, looked, passed, too_large = {}, {}, 0, PASSED * bytes, false
  while #found < many and #over + #found < left and not too_large and (not any_paused or looked < 100 and passed > 0) do
    local size = chunk(looked, any_paused and 100 - looked or math.min(many - #found, left - #over - #found))
    local some = redis.pcall('ZRANGEBYLEX', parked, from, to, 'LIMIT', looked, size)
    for _, job in ipairs(some) do
      local queue, _, _, conditions = parts(job)
      if any_paused and is_paused(paused, queue) then
        passed, biggest = passed - #job, math.max(biggest, #job)
        passed_jobs, passed_bytes = passed_jobs + 1, passed_bytes + #job
      elseif #over + #found < left then
        local ends = unmet(conditions or '', KEYS[6], KEYS[7])
        if ends or #found < many then
          too_large = not fits_in(job)
          if too_large then break end
          if ends then over[#over + 1] = job else found[#found + 1] = job end
        end
      end
    end
    looked = looked + #some
    if #some < size then break end
  end
  local cut = #over > 0 and #found < many and #over + #found >= left
  local alive = #found
  for _, job in ipairs(over) do found[#found + 1] = job end
  return found, alive, cut, too_large
end

-- Of the first jobs of a key the last ones that may go on, as many as this call moves; how many are before them; and
-- whether this call had no room for any.
local function last_ones(parked, key, many, any_paused)
  local from, to = range(key)
  local there = redis.pcall('ZLEXCOUNT', parked, from, to)
  if type(there) ~= 'number' then return {}, 0, false end
  local last = math.min(many, there)
  local found, before, full = {}, last, false
  while before > 0 and last - before < left and not full do
    local size = chunk(last - before, math.min(before, left - last + before))
    local some = redis.pcall('ZRANGEBYLEX', parked, from, to, 'LIMIT', before - size, size)
    for i = #some, 1, -1 do
      full = not fits_in(some[i])
      if full then break end
      before = before - 1
      if not any_paused or not is_paused(paused, (parts(some[i]))) then table.insert(found, 1, some[i]) end
    end
  end
  return found, before, before == last and full
end

local function go_on(number)
  local limit, key = known[tonumber(ARGV[first_key + 2 * number - 1])], ARGV[first_key + 2 * number]
  local id = limit.name .. '\n' .. key
  local permits = limit.most and limit.most - out(limit.permits, key)
  local free = math.min(rest or limit.rate and left or MOST, permits or left)
  local now, next, every
  if limit.rate and free > 0 and not rest then
    now = micros()
    next, every = next_start(limit.rate, redis.pcall('HGET', rates, id), now)
    local promised = tonumber(redis.call('ZSCORE', wake, id) or 0)
    next = math.max(next, math.floor(promised * 1000000 + 0.5))
    free = math.min(free, starts(next, every, now))
    if free == 0 then
      if first(limit.parked, key, 1)[1] then
        redis.call('ZADD', wake, seconds(next), id)
      else
        redis.call('ZREM', wake, id)
      end
      return
    end
  end
  local ready, lacks, broken = {}, false, false
  local jobs, before, alive, cut = {}, 0, nil, false
  if free > 0 then
    local any_paused = redis.pcall('EXISTS', paused) == 1
    local kept, any, too_large, full = room, begun, free > left, false
    if not too_large then jobs, alive, cut, too_large = first_ones(limit.parked, key, free, any_paused) end
    if too_large and free <= left and (any_paused or #jobs > alive) then
      full = #jobs == 0 -- else the leader looks again in some seconds, or at once if none of them takes a permit
      cut = cut or alive == 0
    elseif too_large then
      room, begun, alive, cut = kept, any, nil, false
      jobs, before, full = last_ones(limit.parked, key, free, any_paused)
    end
    if full then return end
  end
  for _, job in ipairs(jobs) do
    local queue, _, payload = parts(job)
    local list = lists[queue]
    if queue and not list then
      missing[#missing + 1] = queue
      lacks = true
    else
      local kind = queue and redis.call('TYPE', list)['ok']
      if kind == 'list' or kind == 'none' then ready[#ready + 1] = {job, list, payload, queue} else broken = true end
    end
  end
  if lacks then
    lacking[#lacking + 1] = number
    return
  end
  local goes_on = rest and limit.rate -- the first call knew for how many it is time
  if not goes_on then redis.call('ZREM', wake, id) end
  for i = #ready, 1, -1 do -- the first one goes to the front
    redis.call('RPUSH', ready[i][2], ready[i][3])
    redis.call('ZREM', limit.parked, ready[i][1])
    redis.pcall('SADD', queues, ready[i][4])
  end
  left = left - #ready
  if (#ready > 0 or broken or rest) and not goes_on and first(limit.parked, key, 1)[1] then
    local again = redis.call('TIME')[1] + RECHECK
    local going = math.min(alive or #ready, #ready) + before
    if cut and #ready > 0 then
      again = 0
    elseif next and going > 0 and not (permits and going >= permits) then
      again = seconds(math.min(next + going * every, now + RECHECK * 1000000))
    end
    redis.pcall('ZADD', wake, again, id)
  end
  if before > 0 then
    more[#more + 1] = number
    more[#more + 1] = before
  end
end

for number = 1, key_count do
  if left <= 0 or room <= 0 or passed_jobs >= PASSED_JOBS or passed_bytes >= PASSED * bytes then break end
  go_on(number)
end
return {missing, lacking, more}
