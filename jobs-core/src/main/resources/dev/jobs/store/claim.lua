-- Settles jobs of one process and claims new ones in one step.
--
-- A call is repeated under its number and mark until it is answered. A repeated call settles nothing, returns the same
-- jobs, and tells again what was refused, which the process still holds. An older call does nothing, and neither does
-- another one of the same number: a clone of the process makes it. A call that wants no jobs is
-- recorded too: if its first copy arrives late, that copy then claims nothing. A settlement takes effect only if its
-- token is still in the process's own hash. A job is written to its new place before it leaves the old one, so an error
-- in between, such as a missing permission, loses nothing.
--
-- KEYS  1 in-flight hash of this process  2 beats  3 paused  4 ledger  5 recovered  6 queues
--       7 stat:processed  8 stat:failed  9 stat:processed of the day  10 stat:failed of the day
--       11 retry  12 dead  13 schedule  14… queue lists, then keys of gates and of effects
-- ARGV  1 incarnation  2 line  3 number of the call  4 jobs wanted  5 bytes wanted at most
--       6 suspects that may be claimed  7 recoveries that make a suspect
--       8 dead set: entries at most  9 dead set: seconds kept  10 seconds that a day's counters are kept
--       11 number of queue lists to claim from, the first ones  12 number of acks without effects
--       13 number of acks with effects  14 number of moves
--       15 number of queue lists  16 mark of the call
--       then the name of the queue of each list; the token of each ack, those with effects last;
--       six for each move: outcome, token, processed +, failed +, where, payload
--         retried, postponed   where = seconds from now; to the retry set, or the scheduled set
--         dead
--         discarded, failed, skipped   stored nowhere
--         handed_back  where = index of the queue list: the payload, or '' for the claimed bytes, to be taken next
--         interrupted  where = index of the queue list: the payload, to the back; or with a blank and its rank, to
--                      where the gate of its queue puts it
--       for each gate that stands at some of these queues its kind and its arguments
--       and effects of the acks with effects, which are the first jobs of the call, and of the moves
-- Returns {status: ok | fenced | stale | replay, acks without effects that came too late,
--          {per ack with effects, then per move 1 settled | 0 too late | -1 refused: wrong type; a repeated answer says
--           1 for what was too late},
--          entries trimmed from the dead set,
--          {indexes of queue keys that hold no list},
--          {index of the queue list, or its name in a repeated answer; {payloads, false if settled since};
--           … two for each queue with claimed jobs},
--          {number of the job in this answer; its recoveries; … two for each recovered job},
--          {number of a job in this answer that got what a settled one left; what that is; … two for each; none in a
--           repeated answer},
--          only if a gate says so, and not in a repeated answer: {indexes of the queue lists that it has shut}}
local seq, recovered = tonumber(ARGV[3]), KEYS[5]
local FEW = 20 -- suspects that may stay at the front of a queue while other jobs pass them
local TOGETHER = 50 -- lists of which one look finds out whether all are empty
local outlived, handed_on = {}, {}

-- Whether any job outlived its worker.
local function any_recovered()
  local counted = redis.pcall('HLEN', recovered)
  return type(counted) == 'number' and counted > 0
end

last = redis.call('HGET', inflight, '#' .. line)
if last then
  local last_seq = tonumber(string.match(last, '^%d+'))
  if seq < last_seq or seq == last_seq and string.match(last, '^%d+ ?([^\n]*)') ~= ARGV[16] then
    return {'stale', 0, {}, 0, {}, {}, {}, {}}
  end
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

-- Removal first, even if it removes nothing: a full Redis then allows the other writes.
local done = redis.call('HDEL', inflight, '', unpack(ARGV, tokens + 1, tokens + acks))
local refused_acks, trimmed, results, broken = acks - done, 0, {}, {}

if acks + ends + moves > 0 then
  local acked, moved, requeued, processed, failed, failure = done, 0, 0, done, 0, nil
  if ends + moves > 0 then
    if alive and want > 0 then handing, offers = {}, {} end
    local now, listed = nil, {}
    local ended = {count = ends, became = {}, token_of = {}}
    for number = 1, ends do
      local token = ARGV[first_end + number]
      results[number] = redis.call('HDEL', inflight, token)
      if results[number] == 1 then
        processed = processed + 1
        ended.became[number], ended.token_of[number] = 'done', token
      end
    end
    acked = processed
    failure = each(ends + moves, first_effect, function(number)
      local at = first_move + (number - ends - 1) * 6
      local outcome, token, where, payload = ARGV[at + 1], ARGV[at + 2], ARGV[at + 5], ARGV[at + 6]
      local target, kind, entry, queue, rank, tags = nil, 'zset', 'moved', nil, nil, nil
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
        target, kind = KEYS[FIRST_LIST + queue], 'list'
        if rank then target, tags, kind = gate.beside(queue) end
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
      if target and not (fits(target, kind) and (not tags or fits(tags, kind))) then
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
        if rank then gate.put(queue, rank, payload) else redis.call('LPUSH', target, payload) end
      end
      if queue and not listed[queue] then -- it may have been cleared meanwhile
        redis.pcall('SADD', KEYS[6], ARGV[NAMES + queue])
        listed[queue] = true
      end
      if target then redis.call('HDEL', inflight, token) end
      processed = processed + tonumber(ARGV[at + 3])
      failed = failed + tonumber(ARGV[at + 4])
      if entry == 'acked' then acked = acked + 1
      elseif entry == 'moved' then moved = moved + 1
      else requeued = requeued + 1 end
      results[number] = 1
      return outcome, token
    end, ended)
  end
  count(ledger, 'acked', acked)
  count(ledger, 'moved', moved)
  count(ledger, 'requeued', requeued)
  count(KEYS[7], nil, processed)
  count(KEYS[8], nil, failed)
  count(KEYS[9], nil, processed, ARGV[10])
  count(KEYS[10], nil, failed, ARGV[10])
  if failure then error(failure, 0) end
end

if handing and not next(handing) then handing = nil end
if alive then
  -- Usually there are neither paused queues nor recovered jobs, which one look shows.
  local special = want > 0 and redis.pcall('EXISTS', KEYS[3], recovered) ~= 0
  if special then
    local suspects, suspicious, suspecting = tonumber(ARGV[6]), tonumber(ARGV[7]), nil
    stays = function(payload)
      if suspecting == nil then suspecting = any_recovered() end
      local died = suspecting and strikes(recovered, payload) or 0
      -- Another suspect may be running here, and one crash must not count against both.
      if died >= suspicious and suspects <= 0 then return true end
      if died > 0 then
        if died >= suspicious then suspects = suspects - 1 end
        outlived[#outlived + 1] = taken + 1
        outlived[#outlived + 1] = died
      end
      return false
    end
  end
  local pauses = special and redis.pcall('SCARD', KEYS[3])
  local any_paused = type(pauses) == 'number' and pauses > 0
  -- Where a capsule has very many queues most are empty, and one look finds that out for many.
  local plain, skipped = not gate, 0
  for q = 1, lists do
    if plain and (taken >= want or room <= 0) then break end
    if plain and lists > TOGETHER and q % TOGETHER == 1 then
      local last = math.min(q + TOGETHER - 1, lists)
      if redis.pcall('EXISTS', unpack(KEYS, FIRST_LIST + q, FIRST_LIST + last)) == 0 then skipped = last end
    end
    if q > skipped and not (any_paused and redis.call('SISMEMBER', KEYS[3], ARGV[NAMES + q]) == 1) then
      local most = gate and gate.room and gate.room(q, want) or want
      local key, looked, biggest, aside, failure = KEYS[FIRST_LIST + q], 0, 1, nil, nil
      begin(q)
      -- Two jobs first, so that a single job needs no second read, then larger chunks sized by the largest job so far:
      -- sizes are unknown until a job is read, and huge jobs must not come in one chunk.
      local chunk = math.min(most - taken, room, 2)
      while most > taken and room > 0 and looked < 200 do
        local jobs = redis.pcall('LRANGE', key, -looked - chunk, -looked - 1)
        if jobs.err then
          failure = jobs
          break
        end
        for i = #jobs, 1, -1 do
          if room <= 0 then break end
          local payload = jobs[i]
          looked = looked + 1
          if not accept(payload) then
            aside = aside or {}
            aside[#aside + 1] = payload
          elseif #payload > biggest then
            biggest = #payload
          end
        end
        if #jobs < chunk then break end
        chunk = math.max(1, math.min(most - taken, looked * 4, math.floor(room / biggest)))
      end
      if taken > before then
        keep(q)
        for i = 1, handing and #payloads or 0 do
          local left = handing[payloads[i]]
          if left then
            handing[payloads[i]] = nil
            handed_on[#handed_on + 1] = before + i
            handed_on[#handed_on + 1] =
              left.take(me, prefix .. before + i .. ':' .. name, gate and gate.held and gate.held(q) or '')
          end
        end
      end
      if not aside then
        if taken > before then redis.call('LTRIM', key, 0, -looked - 1) end
      elseif #aside <= FEW then
        -- Few suspects stay at the front: at the back of a long queue they would wait for its end, one after the other.
        for _, payload in ipairs(payloads) do redis.call('LREM', key, -1, payload) end
      elseif taken > before or looked ~= redis.call('LLEN', key) then -- so many would hide the other jobs
        redis.call('LPUSH', key, unpack(aside))
        count(ledger, 'aside', #aside) -- shows an audit that reads the queue in parts that jobs moved
        redis.call('LTRIM', key, 0, -looked - 1)
      end -- else there are only suspects: they stay, and clients that track the key see no change
      if gate and gate.take then failure = gate.take(q, most) or failure end
      if failure then
        if not string.find(failure.err, 'WRONGTYPE', 1, true) then return failure end
        broken[#broken + 1] = q
      end
    end
  end
end
if offers then
  for _, offer in ipairs(offers) do offer() end
end
if handing then
  for _, left in pairs(handing) do left.leave() end
end
-- Don't create a hash again for a forgotten process.
if not recorded and (acks + ends + moves > 0 or want == 0) and (alive or redis.call('EXISTS', inflight) == 1) then record({}) end
return {
  alive and 'ok' or 'fenced', refused_acks, results, trimmed, broken, claimed, outlived, handed_on,
  gate and gate.full and gate.full()
}
