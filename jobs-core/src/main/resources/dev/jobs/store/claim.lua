-- Settles jobs of one process and claims new ones in one step.
--
-- A call is repeated under its number until it is answered. A repeated call settles nothing, returns the same jobs, and
-- tells again what was refused, which the process holds still; an older call does nothing. A call that wants no jobs is
-- recorded too: if its first copy arrives late, that copy then claims nothing. A settlement takes effect only if its token is still in the process's own hash. A job is written to
-- its new place before it leaves the old one, so an error in between, such as a missing permission, loses nothing.
--
-- KEYS  1 in-flight hash of this process  2 beats  3 paused  4 ledger  5 recovered  6 queues
--       7 stat:processed  8 stat:failed  9 stat:processed of the day  10 stat:failed of the day
--       11 retry  12 dead  13 schedule  14… queue lists, then sorted set and tags of each ordered queue, then keys of
--       effects
-- ARGV  1 incarnation  2 line  3 number of the call  4 jobs wanted  5 bytes wanted at most
--       6 suspects that may be claimed  7 recoveries that make a suspect
--       8 dead set: entries at most  9 dead set: seconds kept  10 seconds that a day's counters are kept
--       11 number of queue lists to claim from, the first ones  12 number of acks without effects
--       13 number of acks with effects  14 number of moves
--       15 number of queue lists; if some are ordered, the index of each, from 1, behind blanks
--       then the name of the queue of each list; the token of each ack, those with effects last;
--       six for each move: outcome, token, processed +, failed +, where, payload
--         retried, postponed   where = seconds from now; to the retry set, or the scheduled set
--         dead
--         discarded, failed, skipped   stored nowhere
--         handed_back  where = index of the queue list: the payload, or '' for the claimed bytes, to be taken next
--         interrupted  where = index of the queue list: the payload, to the back; in an ordered queue a blank and its
--                      rank follow
--       limits of whole queues, if any of these queues has one
--       and effects of the acks with effects, which are the first jobs of the call, and of the moves
-- Returns {status: ok | fenced | stale | replay, acks without effects that came too late,
--          {per ack with effects, then per move 1 settled | 0 too late | -1 refused: wrong type; a repeated answer says
--           1 for what was too late},
--          entries trimmed from the dead set,
--          {indexes of queue keys that hold no list},
--          {index of the queue list, or its name in a repeated answer; {payloads, false if settled since};
--           … two for each queue with claimed jobs},
--          {number of the job in this answer; its recoveries; … two for each recovered job},
--          {number of a job in this answer that has the permit of a settled one; limit, line break, key, and if it has
--           a start as well, behind line breaks what is stored with that and what was without it; … two for each; none
--           in a repeated answer},
--          only if queues have limits, and not in a repeated answer: {indexes of the queue lists whose limit is full}}
local inflight, ledger, recovered = KEYS[1], KEYS[4], KEYS[5]
local me, line, seq, want, room = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local suspects, suspicious = tonumber(ARGV[6]), tonumber(ARGV[7])
local lists, acks, ends, moves = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14])
local FIRST_LIST = 13
local TOGETHER = 50 -- lists of which one look finds out whether all are empty
local FEW = 20 -- suspects that may stay at the front of a queue while other jobs pass them
local names = 15
local known_lists, orders = tonumber(ARGV[15]), nil
if not known_lists then
  local at
  for number in string.gmatch(ARGV[15], '%d+') do
    number = tonumber(number)
    if orders then
      orders[number] = at
      at = at + 2
    else
      known_lists, orders, at = number, {}, FIRST_LIST + number + 1
    end
  end
end
local tokens = names + known_lists
local first_end = tokens + acks
local first_move = first_end + ends
local first_effect = first_move + 6 * moves + 1
local limited
if ARGV[first_effect] == 'queue_limits' then limited, first_effect = queue_limits(first_effect, names) end

local outlived = {}

-- Whether any job outlived its worker.
local function any_recovered()
  local counted = redis.pcall('HLEN', recovered)
  return type(counted) == 'number' and counted > 0
end

local prefix = line .. ':' .. seq .. ':' -- of tokens; made once: numbers are slow to become text
local last = redis.call('HGET', inflight, '#' .. line)
if last then
  local last_seq = tonumber(string.match(last, '^%d+'))
  if seq < last_seq then return {'stale', 0, {}, 0, {}, {}, {}, {}} end
  if seq == last_seq then
    local again, index, suspecting = {}, 0, any_recovered()
    for count, name in string.gmatch(last, '\n(%d+) ([^\n]*)') do
      local jobs = {}
      for i = 1, tonumber(count) do
        index = index + 1
        jobs[i] = redis.call('HGET', inflight, prefix .. index .. ':' .. name)
        local died = jobs[i] and suspecting and strikes(recovered, jobs[i]) or 0
        if died > 0 then
          outlived[#outlived + 1] = index
          outlived[#outlived + 1] = died
        end
      end
      again[#again + 1] = name
      again[#again + 1] = jobs
    end
    local told = {}
    for number = 1, ends + moves do
      local token = ARGV[number <= ends and first_end + number or first_move + (number - ends - 1) * 6 + 2]
      told[number] = redis.call('HEXISTS', inflight, token) == 1 and -1 or 1
    end
    return {'replay', 0, told, 0, {}, again, outlived, {}}
  end
end

local beat = redis.call('ZSCORE', KEYS[2], me)
local alive = beat and tonumber(beat) > 0

-- The types of targets were checked before; a counter of the wrong type must not end the call half way.
local function count(key, field, by)
  if by == 0 then return end
  if field then redis.pcall('HINCRBY', key, field, by) else redis.pcall('INCRBY', key, by) end
end

-- Removal first, even if it removes nothing: a full Redis then allows the other writes.
local done = redis.call('HDEL', inflight, '', unpack(ARGV, tokens + 1, tokens + acks))
local refused_acks, trimmed, results, broken = acks - done, 0, {}, {}

if acks + ends + moves > 0 then
  if alive and want > 0 then handing, offers = {}, {} end
  local ledgered = {acked = done, moved = 0, requeued = 0}
  local processed, failed = done, 0
  local now, listed = nil, {}
  local failure = each(ends + moves, first_effect, function(number)
    if number <= ends then
      local token = ARGV[first_end + number]
      results[number] = redis.call('HDEL', inflight, token)
      if results[number] == 0 then return nil end
      processed = processed + 1
      ledgered.acked = ledgered.acked + 1
      return 'done', token
    end
    local at = first_move + (number - ends - 1) * 6
    local outcome, token, where, payload = ARGV[at + 1], ARGV[at + 2], ARGV[at + 5], ARGV[at + 6]
    local target, kind, entry, queue, rank = nil, 'zset', 'moved', nil, nil
    if outcome == 'retried' then target = KEYS[11]
    elseif outcome == 'postponed' then target = KEYS[13]
    elseif outcome == 'dead' then target = KEYS[12]
    elseif outcome == 'discarded' or outcome == 'failed' or outcome == 'skipped' then entry = 'acked'
    else
      queue = tonumber(where)
      if not queue then
        queue, rank = string.match(where, '^(%d+) (.*)$')
        queue = tonumber(queue)
      end
      target, kind = KEYS[rank and orders[queue] or FIRST_LIST + queue], rank and 'zset' or 'list'
      if outcome == 'handed_back' then entry = 'requeued' end
    end
    results[number] = 0
    local held
    if target then
      held = redis.call('HGET', inflight, token)
      if not held then return nil end
    elseif redis.call('HDEL', inflight, token) == 0 then
      return nil
    end
    if target and not (fits(target, kind) and (not rank or fits(KEYS[orders[queue] + 1], kind))) then
      results[number] = -1
      return nil
    end
    if not now and target and kind == 'zset' and not rank then now = redis.call('TIME') end
    if outcome == 'retried' or outcome == 'postponed' then
      redis.call('ZADD', target, string.format('%.6f', now[1] + now[2] / 1000000 + tonumber(where)), payload)
    elseif outcome == 'dead' then
      trimmed = trimmed + bury(target, payload, now, ARGV[8], ARGV[9])
    elseif outcome == 'handed_back' then
      redis.call('RPUSH', target, payload == '' and held or payload)
    elseif outcome == 'interrupted' then
      if rank then put_in_order(target, KEYS[orders[queue] + 1], rank, payload) else redis.call('LPUSH', target, payload) end
    end
    if queue and not listed[queue] then -- it may have been cleared meanwhile
      redis.pcall('SADD', KEYS[6], ARGV[names + queue])
      listed[queue] = true
    end
    if target then redis.call('HDEL', inflight, token) end
    processed = processed + tonumber(ARGV[at + 3])
    failed = failed + tonumber(ARGV[at + 4])
    ledgered[entry] = ledgered[entry] + 1
    results[number] = 1
    return outcome, token
  end)
  for field, by in pairs(ledgered) do count(ledger, field, by) end
  count(KEYS[7], nil, processed)
  count(KEYS[8], nil, failed)
  for key, by in pairs({[KEYS[9]] = processed, [KEYS[10]] = failed}) do
    if by > 0 and redis.pcall('INCRBY', key, by) == by then redis.pcall('EXPIRE', key, ARGV[10]) end
  end
  if failure then error(failure, 0) end
end

local claimed, taken, runs, recorded, suspecting = {}, 0, '', false, nil
local permitted = {}
if handing and not next(handing) then handing = nil end

-- Gives taken jobs the permits that settled ones left for them.
local function permit(before, payloads, suffix, held)
  for i, payload in ipairs(payloads) do
    local handed = handing[payload]
    if handed then
      local token = prefix .. before + i .. suffix
      redis.pcall('HSET', handed.by_token, token, (held or '') .. handed.place)
      redis.pcall('ZADD', handed.permits, 0, handed.key .. '\n' .. me .. '\n' .. token)
      handing[payload] = nil
      permitted[#permitted + 1] = before + i
      permitted[#permitted + 1] = handed.place .. (handed.start and handed.start() or '')
    end
  end
end

-- After this, a repeated call finds the jobs taken so far, even if the call fails later.
local function record(fields)
  -- Lines are numbered from 0 without gaps: that is how other scripts tell their fields from jobs.
  if not last and not recorded then
    for below = 0, line - 1 do redis.call('HSETNX', inflight, '#' .. below, '0') end
  end
  fields[1], fields[2] = '#' .. line, ARGV[3] .. runs
  redis.call('HSET', inflight, unpack(fields))
  recorded = true
end

-- Gives the permits of their queue to the jobs taken last.
local function hold(q, count_of, suffix)
  local taken_now = {}
  for i = 1, count_of do taken_now[i] = prefix .. taken - count_of + i .. suffix end
  limited.hold(q, me, taken_now)
end

local function take(q, want)
  local key, name = KEYS[FIRST_LIST + q], ARGV[names + q]
  local looked, biggest, fields, size, aside = 0, 1, {'', ''}, 2, {}
  local payloads, count_of = {}, 0
  local suffix = ':' .. name
  while want > taken and room > 0 and looked < 200 do
    -- Two jobs first, so that a single job needs no second read, then larger chunks sized by the largest job so far:
    -- sizes are unknown until a job is read, and huge jobs must not come in one chunk.
    local chunk = math.max(1, math.min(want - taken, looked == 0 and 2 or looked * 4, math.floor(room / biggest)))
    local jobs = redis.pcall('LRANGE', key, -looked - chunk, -looked - 1)
    if jobs.err then return jobs end
    if suspecting == nil and #jobs > 0 then suspecting = any_recovered() end
    for i = #jobs, 1, -1 do
      if room <= 0 then break end
      local payload = jobs[i]
      local died = suspecting and strikes(recovered, payload) or 0
      looked = looked + 1
      if died >= suspicious and suspects <= 0 then
        -- Another suspect may be running here, and one crash must not count against both.
        aside[#aside + 1] = payload
      else
        taken = taken + 1
        if died > 0 then
          if died >= suspicious then suspects = suspects - 1 end
          outlived[#outlived + 1] = taken
          outlived[#outlived + 1] = died
        end
        local bytes = #payload
        if bytes > biggest then biggest = bytes end
        room = room - bytes
        fields[size + 1] = prefix .. taken .. suffix
        size = size + 2
        fields[size] = payload
        count_of = count_of + 1
        payloads[count_of] = payload
      end
    end
    if #jobs < chunk then break end
  end
  if count_of > 0 then
    if limited then hold(q, count_of, suffix) end -- first: if it fails, nothing was taken
    claimed[#claimed + 1] = q
    claimed[#claimed + 1] = payloads
    runs = runs .. '\n' .. count_of .. ' ' .. name
    record(fields)
    count(ledger, 'claimed', count_of)
    if handing then permit(taken - count_of, payloads, suffix, limited and limited.held_for(q)) end
  elseif #aside <= FEW or looked == redis.call('LLEN', key) then
    return -- no job, or only suspects: they stay, and clients that track the key see no change
  end
  if #aside > 0 and #aside <= FEW then
    -- Few suspects keep their place at the front: at the back of a long queue they would wait for its end, one after
    -- the other.
    for _, payload in ipairs(payloads) do redis.call('LREM', key, -1, payload) end
    return
  end
  if #aside > 0 then -- so many would hide the other jobs
    redis.call('LPUSH', key, unpack(aside))
    count(ledger, 'aside', #aside) -- shows an audit that reads the queue in parts that jobs moved
  end
  redis.call('LTRIM', key, 0, -looked - 1)
end

-- Takes what waits in the sorted set of an ordered queue.
local function take_ordered(q, want)
  local at, suffix, before = orders[q], ':' .. ARGV[names + q], taken
  local payloads, fields = {}, {'', ''}
  return take_in_order(KEYS[at], KEYS[at + 1], want - taken, room, function(payload)
    if suspecting == nil then suspecting = any_recovered() end
    local died = suspecting and strikes(recovered, payload) or 0
    if died >= suspicious and suspects <= 0 then return false end
    taken = taken + 1
    if died > 0 then
      if died >= suspicious then suspects = suspects - 1 end
      outlived[#outlived + 1] = taken
      outlived[#outlived + 1] = died
    end
    room = room - #payload
    fields[#fields + 1] = prefix .. taken .. suffix
    fields[#fields + 1] = payload
    payloads[#payloads + 1] = payload
    return true
  end, function()
    if limited then hold(q, taken - before, suffix) end -- first: if it fails, nothing was taken
    claimed[#claimed + 1] = q
    claimed[#claimed + 1] = payloads
    runs = runs .. '\n' .. taken - before .. ' ' .. ARGV[names + q]
    record(fields)
    count(ledger, 'claimed', taken - before)
  end)
end

if alive then
  -- Usually there are neither paused queues nor recovered jobs, which one look shows.
  local special = want > 0 and redis.pcall('EXISTS', KEYS[3], recovered) ~= 0
  if not special then suspecting = false end
  local pauses = special and redis.pcall('SCARD', KEYS[3])
  local any_paused = type(pauses) == 'number' and pauses > 0
  -- Where a capsule has very many queues most are empty, and one look finds that out for many.
  local plain, skipped = not orders and not limited, 0
  for q = 1, lists do
    if plain and (taken >= want or room <= 0) then break end
    if plain and lists > TOGETHER and q % TOGETHER == 1 then
      local last = math.min(q + TOGETHER - 1, lists)
      if redis.pcall('EXISTS', unpack(KEYS, FIRST_LIST + q, FIRST_LIST + last)) == 0 then skipped = last end
    end
    if q > skipped and not (any_paused and redis.call('SISMEMBER', KEYS[3], ARGV[names + q]) == 1) then
      local most = limited and limited.room(q, want, taken) or want
      local failure = take(q, most)
      if orders and orders[q] then failure = take_ordered(q, most) or failure end
      if failure then
        if not string.find(failure.err, 'WRONGTYPE', 1, true) then return failure end
        broken[#broken + 1] = q
      end
    end
  end
end
for _, offer in ipairs(offers or {}) do offer() end
for _, handed in pairs(handing or {}) do redis.pcall('ZADD', handed.wake, 'NX', handed.at, handed.place) end
-- Don't create a hash again for a forgotten process.
if not recorded and (acks + ends + moves > 0 or want == 0) and (alive or redis.call('EXISTS', inflight) == 1) then record({}) end
return {
  alive and 'ok' or 'fenced', refused_acks, results, trimmed, broken, claimed, outlived, permitted,
  limited and limited.full()
}
