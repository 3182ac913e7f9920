-- Settles jobs of one process and claims new ones, all in one step.
--
-- A call is repeated under its number until it is answered. A repeated call settles nothing again and returns the same jobs; an older one
-- does nothing. A settlement has its effect only if its token is still in the process's own hash.
--
-- KEYS  1 in-flight hash of this process  2 beats  3 paused  4 ledger  5 recovered  6 queues
--       7 stat:processed  8 stat:failed  9 stat:processed of the day  10 stat:failed of the day  11 retry  12 dead  13… queue lists
-- ARGV  1 incarnation  2 line  3 number of the call  4 jobs wanted  5 bytes wanted at most
--       6 suspects that may be claimed  7 recoveries that make a suspect
--       8 dead set: entries at most  9 dead set: seconds kept  10 seconds that a day's counters are kept
--       11 how many of the queue lists to claim from  12 number of acks  13 number of moves
--       then the name of each queue list; the token of each ack;
--       and six for each move: what, token, processed +, failed +, where, payload
--         retry  where = seconds from now     drop   nothing is stored
--         dead                                 back   where = index of the queue list: the claimed bytes, to be taken next
--         again  where = index of the queue list: the payload, to the back
-- Returns {status: ok | fenced | stale | replay, acks that had no effect, {per move 1 done | 0 not ours | -1 refused: wrong type},
--          entries trimmed from the dead set, {indexes of queue lists that are no lists},
--          {index of the queue list, payload, recoveries, … three for each claimed job}}
local inflight, ledger, recovered = KEYS[1], KEYS[4], KEYS[5]
local me, line, seq, want, room = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local suspects, suspicious = tonumber(ARGV[6]), tonumber(ARGV[7])
local lists, acks, moves = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
local FIRST_LIST = 12
local names = 13
local tokens = names + #KEYS - FIRST_LIST
local first_move = tokens + acks

local function strikes(payload)
  local count = redis.pcall('HGET', recovered, redis.sha1hex(payload))
  return type(count) == 'string' and tonumber(count) or 0
end
local counted = redis.pcall('HLEN', recovered)
local any_recovered = type(counted) == 'number' and counted > 0

local last = redis.call('HGET', inflight, '#' .. line)
if last then
  local last_seq, last_count = string.match(last, '^(%d+) (%d+)$')
  if seq < tonumber(last_seq) then return {'stale', 0, {}, 0, {}, {}} end
  if seq == tonumber(last_seq) then
    local index = {}
    for i = FIRST_LIST + 1, #KEYS do index[ARGV[names + i - FIRST_LIST]] = i - FIRST_LIST end
    local again = {}
    for i = 1, tonumber(last_count) do
      local held = redis.call('HGET', inflight, line .. ':' .. seq .. ':' .. i)
      local cut = held and string.find(held, '\n', 1, true)
      local payload = held and string.sub(held, cut + 1) or false
      again[#again + 1] = held and index[string.sub(held, 1, cut - 1)] or 0
      again[#again + 1] = payload
      again[#again + 1] = held and any_recovered and strikes(payload) or 0
    end
    return {'replay', 0, {}, 0, {}, again}
  end
end

local function holds(key, kind)
  local found = redis.call('TYPE', key)['ok']
  return found == kind or found == 'none'
end

-- After the first removal nothing may raise any more: types were looked at before, and counters are no reason to stop half way.
local function count(key, field, by)
  if by == 0 then return end
  if field then redis.pcall('HINCRBY', key, field, by) else redis.pcall('INCRBY', key, by) end
end

local refused_acks, trimmed, results, broken = 0, 0, {}, {}
local processed, failed = 0, 0

if acks + moves > 0 then
  local ledgered = {acked = 0, moved = 0, requeued = 0}
  if acks > 0 then
    local done = redis.call('HDEL', inflight, unpack(ARGV, tokens + 1, tokens + acks))
    refused_acks = acks - done
    processed = done
    ledgered.acked = done
  end
  local now
  for m = 0, moves - 1 do
    local at = first_move + m * 6
    local what, token, where, payload = ARGV[at + 1], ARGV[at + 2], ARGV[at + 5], ARGV[at + 6]
    local target, kind, entry = nil, 'zset', 'moved'
    if what == 'retry' then target = KEYS[11]
    elseif what == 'dead' then target = KEYS[12]
    elseif what == 'drop' then entry = 'acked'
    else
      target, kind = KEYS[FIRST_LIST + tonumber(where)], 'list'
      if what == 'back' then entry = 'requeued' end
    end
    local result
    if target and not holds(target, kind) then
      result = -1
    else
      local held = what == 'back' and redis.call('HGET', inflight, token)
      result = redis.call('HDEL', inflight, token)
      if result == 1 then
        if not now and kind == 'zset' then now = redis.call('TIME') end
        if what == 'retry' then
          redis.call('ZADD', target, string.format('%.6f', now[1] + now[2] / 1000000 + tonumber(where)), payload)
        elseif what == 'dead' then
          redis.call('ZADD', target, string.format('%.6f', now[1] + now[2] / 1000000), payload)
          trimmed = trimmed + redis.call('ZREMRANGEBYSCORE', target, '-inf', now[1] - tonumber(ARGV[9]))
            + redis.call('ZREMRANGEBYRANK', target, 0, -tonumber(ARGV[8]))
        elseif what == 'back' then
          redis.call('RPUSH', target, string.sub(held, string.find(held, '\n', 1, true) + 1))
        elseif what == 'again' then
          redis.call('LPUSH', target, payload)
          redis.pcall('SADD', KEYS[6], ARGV[names + tonumber(where)])
        end
        processed = processed + tonumber(ARGV[at + 3])
        failed = failed + tonumber(ARGV[at + 4])
        ledgered[entry] = ledgered[entry] + 1
      end
    end
    results[m + 1] = result
  end
  for field, by in pairs(ledgered) do count(ledger, field, by) end
  count(KEYS[7], nil, processed)
  count(KEYS[8], nil, failed)
  for key, by in pairs({[KEYS[9]] = processed, [KEYS[10]] = failed}) do
    if by > 0 and redis.pcall('INCRBY', key, by) == by then redis.call('EXPIRE', key, ARGV[10]) end
  end
end

local claimed, fields, taken, status = {}, {}, 0, 'ok'
local beat = redis.call('ZSCORE', KEYS[2], me)
if not beat or tonumber(beat) <= 0 then
  status = 'fenced'
else
  local pauses = want > 0 and redis.pcall('SCARD', KEYS[3])
  local any_paused = type(pauses) == 'number' and pauses > 0
  for q = 1, lists do
    local key, name, size = KEYS[FIRST_LIST + q], ARGV[names + q], nil
    local deferred = any_paused and redis.call('SISMEMBER', KEYS[3], name) == 1
    while want > taken and room > 0 and not deferred do
      -- One, then as many of that size as fit: a huge payload must not come in company.
      local chunk = size and math.max(1, math.min(want - taken, 100, math.floor(room / math.max(size, 1)))) or 1
      local popped = redis.pcall('RPOP', key, chunk)
      if popped and popped.err then
        if not string.find(popped.err, 'WRONGTYPE', 1, true) then return popped end
        broken[#broken + 1] = q
        popped = nil
      end
      if not popped or #popped == 0 then break end
      for _, payload in ipairs(popped) do
        local count_of = any_recovered and strikes(payload) or 0
        if count_of >= suspicious and suspects <= 0 then
          -- Another one of its kind may be running here, and one crash must not count against both.
          redis.call('LPUSH', key, payload)
          deferred = true
        else
          if count_of >= suspicious then suspects = suspects - 1 end
          taken = taken + 1
          size = #payload
          room = room - size
          fields[#fields + 1] = line .. ':' .. seq .. ':' .. taken
          fields[#fields + 1] = name .. '\n' .. payload
          claimed[#claimed + 1] = q
          claimed[#claimed + 1] = payload
          claimed[#claimed + 1] = count_of
        end
      end
      if #popped < chunk then break end
    end
  end
  if taken > 0 then
    redis.call('HSET', inflight, unpack(fields))
    count(ledger, 'claimed', taken)
  end
end
if taken > 0 or acks + moves > 0 then
  redis.call('HSET', inflight, '#' .. line, seq .. ' ' .. taken)
end
return {status, refused_acks, results, trimmed, broken, claimed}
