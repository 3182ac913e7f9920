-- Admits claimed jobs that have limits: each gets a permit of every one of its limits, and its start by their rates, or
-- none, and is then parked at the first limit that is full or lets it start later. In the latter case the leader looks
-- at that time whether it can go on. A call may be repeated: a job that has its permits keeps them, without another
-- start, and one that was parked is gone from the in-flight hash.
--
-- A job that must not be run is told before anything is taken for it, and stays with the process, which ends it. If the
-- leader let it go on, the leader looks at its keys again as soon as the next job may start: this one takes nothing.
--
-- A job that others may replace takes the place of the job that it has replaced, if that is parked at the same key. The
-- replaced job goes to the front of its queue, and a worker ends it. So no more than one of them is parked, and the
-- others that wait don't pass it.
--
-- Decides about all jobs first, in their order, and then gives all permits with a few commands: most calls park none.
--
-- KEYS  1 in-flight hash of this process  2 beats  3 limits by token of this process  4 limits  5 limits to look at
--       6 ledger  7 starts by rates  8 paused  9 cancelled jobs  10 cancelled batches  11 queues, then the
--       lists of queues; two for each limit: its permits, its parked jobs; the twins of jobs that may be replaced, as for
--       check_replace; then keys of effects
-- ARGV  1 incarnation  2 number of limits  3 number of jobs  4 index of the first effect  5 number of sets of limits
--       6 number of lists of queues
--       then two for each limit: name, what this process declares of it or ''
--       then for each set, which jobs of a queue share: number of its limits, blank, index of the queue's list, blank,
--       the queue; for each limit: its number from 1, key
--       then four for each job: token, time by which parked jobs are sorted or '' for that of its parking, number of
--       its set from 1, its conditions as in shared_conditions; before these the index of its twin, if it may be
--       replaced: then the last word of the conditions is its jid
--       and effects of the jobs that are parked
-- Returns {} if this process was given up, else
--         {per job 1 admitted | 2 parked | 0 not held | -1 neither: a key has the wrong type
--          | not to be run: 3 expired | 4 cancelled | 5 its batch is cancelled | 6 replaced;
--          then {number of the job, number of its limit from 1, what is stored with its start, what was without it, …}}
local INDEXED = 65 -- bytes of a value with which Redis stores a hash with an index, by default
local FEW = 8 -- permits for which an index is of no use
local READ_BYTES, READ_JOBS = 1048576, 1000 -- parked jobs that a call reads at most, and one more
local UNMET = {expired = 3, cancelled = 4, skipped = 5}
local REPLACED = 6
local inflight, by_token, limits, wake, rates, paused = KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[7], KEYS[8]
local me, count, jobs, at = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), 6
local first_limit = 12 + tonumber(ARGV[6])
local beat = redis.call('ZSCORE', KEYS[2], me)
if not beat or tonumber(beat) <= 0 then return {} end

redis.call('HDEL', inflight, '') -- removal first: a full Redis then allows the other writes
local known, now = {}, nil
for number = 1, count do
  local name, own = ARGV[at + 1], ARGV[at + 2]
  local permits, parked = KEYS[first_limit + 2 * number - 2], KEYS[first_limit + 2 * number - 1]
  local many, rate = most(limits, name, own ~= '' and own or nil, wake)
  known[number] = {
    name = name, permits = permits, parked = parked, fits = fits(permits, 'zset') and fits(parked, 'zset'), most = many,
    rate = rate, keys = {}, given = {}
  }
  if rate then
    now = now or micros()
    known[number].fits = known[number].fits and fits(rates, 'hash') and fits(wake, 'zset')
  end
  at = at + 2
end

local sets, tokens = {}, {}
for number = 1, tonumber(ARGV[5]) do
  local own, list, queue = string.match(ARGV[at + 1], '^(%d+) (%d+) (.*)$')
  local set = {queue = queue, list = KEYS[tonumber(list)], first = at + 2, last = at + 2 * tonumber(own)}
  sets[tostring(number)] = set
  at = set.last + 1
end
local before = at
for number = 1, jobs do tokens[number] = ARGV[before + 4 * number - 3] end
local function time_of(number) return ARGV[before + 4 * number - 2] end
local function set_of(number) return sets[ARGV[before + 4 * number - 1]] end
local function conditions_of(number) return string.match(ARGV[before + 4 * number], '^%d*(.*)$') end

-- The twin of a job and the job's jid; nil if nothing replaces it.
local function twin_of(number)
  local stored = ARGV[before + 4 * number]
  if not string.find(stored, '^%d') then return nil end
  local index, jid = string.match(stored, '^(%d+).* %l(%S+)$')
  return KEYS[tonumber(index)], jid
end

local function is_replaced(twin, jid) return redis.pcall('HEXISTS', twin, '-' .. jid) == 1 end

-- Where the job is parked that this one has replaced, or where this one was before it went on; nil if that isn't known.
local function before_of(number)
  local twin, jid = twin_of(number)
  local known = twin and redis.pcall('HMGET', twin, 'jid', 'at') or {}
  if known[1] ~= jid or not known[2] then return nil end
  local id, time, queue, order, its_jid =
    string.match(known[2], '^([^\n]*\n[^\n]*)\n(%d+)\n([^\n]*)\n.(%d*).* %l(%S+)$')
  if not id or its_jid ~= jid and not is_replaced(twin, its_jid) then return nil end
  return {id = id, time = time, order = order, queue = queue, text = known[2], is_other = its_jid ~= jid}
end
local befores = {}

-- By which time a job is sorted at a limit and key: that of what it replaced, if that is not later than its own; then
-- also its number among those of that time.
local function time_at(number, id)
  local own, before = time_of(number), befores[number]
  if before and before.id == id and (own == '' or before.time <= own) then return before.time, before.order end
  return own
end

local payloads, shares = redis.call('HMGET', inflight, unpack(tokens)), {}
if fits(by_token, 'hash') then shares = redis.call('HMGET', by_token, unpack(tokens)) else known = {} end

-- What is known of a key: how many permits are out, and from when the next job may start. Granted ones count.
local function state_of(limit, key)
  local state = limit.keys[key]
  if not state then
    state = {id = limit.name .. '\n' .. key, out = limit.most and out(limit.permits, key) or 0}
    if limit.rate then
      state.next, state.every = next_start(limit.rate, redis.call('HGET', rates, state.id), now)
      state.watched = redis.call('ZSCORE', wake, state.id)
    end
    limit.keys[key] = state
  end
  return state
end

-- Whether the leader is about to let an older job start, which a newer one must not precede. Those of paused queues
-- don't count. While any queue is paused, jobs are read to know their queues, but a call reads only so much: then a
-- newer job may precede.
local any_paused, bytes_left, jobs_left = nil, READ_BYTES, READ_JOBS
local function has_older(limit, key, state, time)
  if not state.watched or time == '' then return false end
  local from, to = '[' .. key .. '\n', '(' .. key .. '\n' .. time
  local older = redis.call('ZLEXCOUNT', limit.parked, from, to)
  if older > 0 and any_paused == nil then any_paused = redis.pcall('EXISTS', paused) == 1 end
  if older == 0 or not any_paused then return older > 0 end
  for i = 0, math.min(older, 100) - 1 do
    if bytes_left <= 0 or jobs_left <= 0 then return false end
    local job = redis.call('ZRANGEBYLEX', limit.parked, from, to, 'LIMIT', i, 1)[1]
    bytes_left, jobs_left = bytes_left - #job, jobs_left - 1
    if not is_paused(paused, (parts(job))) then return true end
  end
  return false
end

local granted, started, taken, full, later, freed = {}, {}, {}, {}, {}, {}

-- The limits of a set: for each the limit, its key and what is known of that; and how a token names them all. Nil if a
-- key has the wrong type.
local function limits_of(set)
  if not set.limits then
    set.limits = {}
    for i = set.first, set.last, 2 do
      local limit = known[tonumber(ARGV[i])]
      if not limit or not limit.fits then
        set.broken = true
        return nil
      end
      local state = state_of(limit, ARGV[i + 1])
      set.limits[#set.limits + 1] =
        {limit = limit, key = ARGV[i + 1], state = state, index = i, holder = ARGV[i + 1] .. '\n' .. me .. '\n'}
      set.spec = set.spec and set.spec .. '\n' .. state.id or state.id
    end
  end
  return not set.broken and set.limits
end

local function decide(number)
  if not payloads[number] then return 0 end
  local set = set_of(number)
  local limits = limits_of(set)
  local mine = limits and shares[number] -- after another permit that was handed to it, which it gives back
  if mine and string.sub('\n' .. mine, -#set.spec - 1) == '\n' .. set.spec then return 1 end
  local result = UNMET[unmet(ARGV[before + 4 * number], KEYS[9], KEYS[10])]
  local twin, jid = nil, nil
  if not result then twin, jid = twin_of(number) end
  if twin then
    result = is_replaced(twin, jid) and REPLACED
    befores[number] = not result and before_of(number) or nil
  end
  if result then
    for _, each in ipairs(limits or {}) do freed[each.state.id] = each end
    return result
  end
  if not limits then return -1 end
  for _, each in ipairs(limits) do
    local limit, state = each.limit, each.state
    local is_full = limit.most and state.out >= limit.most
    local is_early = not is_full and limit.rate and state.next > now
    if is_full or is_early or has_older(limit, each.key, state, time_at(number, state.id)) then
      full[number], later[number] = each.index, is_early and state.next
      return 2
    end
  end
  for position, each in ipairs(limits) do
    local limit, state = each.limit, each.state
    if state.last ~= number then -- else it names the limit twice
      state.last, state.out = number, state.out + 1
      if limit.rate then
        local before = state.next
        state.next = before + state.every
        started[state.id] = whole(state.next)
        for _, part in ipairs({number, position, whole(state.next), whole(before)}) do taken[#taken + 1] = part end
      end
      limit.given[#limit.given + 1] = 0
      limit.given[#limit.given + 1] = each.holder .. tokens[number]
    end
  end
  granted[#granted + 1] = tokens[number]
  granted[#granted + 1] = mine and mine .. '\n' .. set.spec or set.spec
  return 1
end

local results, parks = {}, false
for number = 1, jobs do
  results[number] = decide(number)
  parks = parks or results[number] == 2
end
results[jobs + 1] = taken

if #granted > 0 then
  local indexed = #granted > 2 * FEW
  if indexed then
    granted[#granted + 1] = ''
    granted[#granted + 1] = string.rep('.', INDEXED)
  end
  redis.call('HSET', by_token, unpack(granted))
  if indexed then redis.call('HDEL', by_token, '') end -- the index stays
  local starts = {}
  for id, next in pairs(started) do
    starts[#starts + 1] = id
    starts[#starts + 1] = next
  end
  if #starts > 0 then redis.call('HSET', rates, unpack(starts)) end
  for _, limit in ipairs(known) do
    if #limit.given > 0 then redis.call('ZADD', limit.permits, unpack(limit.given)) end
  end
end
for id, each in pairs(freed) do
  local next = each.limit.rate and each.state.next
  redis.pcall('ZADD', wake, 'XX', 'LT', next and next > now and seconds(next) or 0, id)
end

-- The job that was replaced is parked no longer and goes to its queue, if that is known here.
local evicted = 0
local function evict(number, limit)
  local before, set = befores[number], set_of(number)
  if not before or not before.is_other or before.queue ~= set.queue then return end
  local from = string.sub(before.text, #limit.name + 2) .. '\n'
  local old = redis.pcall('ZRANGEBYLEX', limit.parked, '[' .. from, '(' .. from .. '\255', 'LIMIT', 0, 1)[1]
  if not old or evicted + #old > READ_BYTES or not fits(set.list, 'list') then return end
  evicted = evicted + #old
  local _, _, payload = parts(old)
  redis.call('RPUSH', set.list, payload)
  redis.call('ZREM', limit.parked, old)
  redis.pcall('SADD', KEYS[11], set.queue)
end

for number, before in pairs(befores) do
  for _, each in ipairs(results[number] > 0 and set_of(number).limits or {}) do
    if each.state.id == before.id then evict(number, each.limit) end
  end
end
if not parks then return results end

-- Notes where a job is parked that the next one with its key may replace.
local function note_place(number, text)
  local twin, jid = twin_of(number)
  if twin and redis.pcall('HGET', twin, 'jid') == jid then
    redis.pcall('HSET', twin, 'at', text)
  end
end

local moved = 0
local failure = each(jobs, tonumber(ARGV[4]), function(number)
  if results[number] ~= 2 then return nil end
  local set, index = set_of(number), full[number]
  local alone = #set.limits == 1
  local limit, key, copy = known[tonumber(ARGV[index])], ARGV[index + 1], ''
  local time, order = time_at(number, limit.name .. '\n' .. key)
  now = now or micros()
  if time == '' then time = string.format('%016.0f', math.floor(now / 1000)) end
  order = order or string.format('%016.0f%03.0f', now, number)
  local prefix, conditions = key .. '\n' .. time .. '\n' .. set.queue .. '\n' .. (alone and '1' or 'n') .. order, conditions_of(number)
  if later[number] then redis.call('ZADD', wake, 'LT', seconds(later[number]), limit.name .. '\n' .. key) end
  while redis.call('ZADD', limit.parked, 'NX', 0, prefix .. copy .. conditions .. '\n' .. payloads[number]) == 0 do
    copy = (tonumber(copy) or 0) + 1
  end
  note_place(number, limit.name .. '\n' .. prefix .. copy .. conditions)
  redis.call('HDEL', inflight, tokens[number])
  moved = moved + 1
  if not alone then -- it may have been parked at another limit, whose permit others can take now
    for _, other in ipairs(set.limits) do
      if other.index ~= index and first(other.limit.parked, other.key, 1)[1] then
        redis.pcall('ZADD', wake, 0, other.state.id)
      end
    end
  end
  return 'handed_back', tokens[number]
end)
if moved > 0 then redis.pcall('HINCRBY', KEYS[6], 'moved', moved) end
if failure then error(failure, 0) end
return results
