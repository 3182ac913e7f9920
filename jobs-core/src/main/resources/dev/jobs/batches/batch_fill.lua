-- Adds jobs to a batch: stores those whose index in the batch has no job yet, and counts them. A repeated call adds
-- nothing. The first write is deliberately not a removal: a full Redis must refuse new jobs.
--
-- KEYS  1 counters of the batch  2 states of its jobs  3 texts of its jobs  4 open batches  5 queues
--       6 definition of the batch  7… targets: lists and sorted sets
-- ARGV  1 its id  2 seconds until it expires unless it is committed; 0 for never  3 number of targets
--       4 number of jobs
--       then for each target: 'q' and the name of the queue that it is; 's' and the name of the queue that its jobs go
--       to when the batch opens; 'o' and the name of the ordered queue whose sorted set it is, with 't', its tags, next
--       to it; or 'z', a sorted set
--       then for each job four: its position in the states, index of its target or 0 for a job that is skipped, its
--       score in a sorted set or rank in an ordered queue, its payload; if it is skipped: the reason, a JSON value
-- Returns {1, number of jobs that were added}, or {0} if there is no such batch, {-1} if it has ended, {-3} if it is
--         cancelled, {-2, index} if the target has the wrong type, {-2, 0} if another key has it
local counters, states, texts = KEYS[1], KEYS[2], KEYS[3]
local seconds, targets, jobs = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local known = redis.call('HMGET', counters, 'total', 'open', 'fresh', 'again', 'children_open', 'cancelled')
if not known[1] then return {0} end
if known[6] then return {-3} end
if known[2] == '0' and seconds ~= '0' then return {1, 0} end -- someone else has created it with the same key
if known[2] == '0' and tonumber(known[3]) + tonumber(known[4]) + tonumber(known[5]) <= 0 then return {-1} end
local function is_type(key, expected)
  local type = redis.call('TYPE', key)['ok']
  return type == 'none' or type == expected
end
if not is_type(states, 'string') or not is_type(texts, 'hash') or not is_type(KEYS[5], 'set')
  or not is_type(KEYS[6], 'hash') then return {-2, 0} end
for i = 1, targets do
  if not is_type(KEYS[6 + i], (ARGV[4 + i] == 'z' or string.find(ARGV[4 + i], '^[ot]')) and 'zset' or 'list') then return {-2, i} end
end

local first = 5 + targets
local low, high = math.huge, -1
for job = 0, jobs - 1 do
  local position = tonumber(ARGV[first + 4 * job])
  low, high = math.min(low, position), math.max(high, position)
end
local close = high - low < 4000
local there = close and redis.call('GETRANGE', states, low, high) or nil
local taken = {}
local function is_taken(position)
  if taken[position] then return true end
  taken[position] = true
  local byte
  if close then byte = string.byte(there, position - low + 1)
  else byte = string.byte(redis.call('GETRANGE', states, position, position)) end
  return byte and byte > 0
end

local payloads, added, skipped, reasons = {}, {}, 0, {}
for job = 0, jobs - 1 do
  local at = first + 4 * job
  local position, target = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  if not is_taken(position) then
    if target == 0 then
      skipped = skipped + 1
      added[#added + 1] = {position, 'k'}
      reasons[#reasons + 1] = 'm' .. ARGV[at]
      reasons[#reasons + 1] = ARGV[at + 3]
    else
      added[#added + 1] = {position, 'q'}
      payloads[target] = payloads[target] or {}
      if string.find(ARGV[4 + target], '^[zo]') then table.insert(payloads[target], ARGV[at + 2]) end
      table.insert(payloads[target], ARGV[at + 3])
    end
  end
end
if #added == 0 then return {1, 0} end

-- What could be forbidden comes before the jobs are stored: a repeated call would store them again.
redis.call('HINCRBY', counters, 'total', 0)
redis.call('SETRANGE', states, 0, '')
if seconds ~= '0' then redis.call('EXPIRE', counters, seconds) end
for target in pairs(payloads) do
  local kind, name = string.sub(ARGV[4 + target], 1, 1), string.sub(ARGV[4 + target], 2)
  if kind == 'q' or kind == 'o' then redis.call('SADD', KEYS[5], name) end
  if kind == 's' then redis.call('HSET', KEYS[6], 'q:' .. name, 1) end
end
for target, stored in pairs(payloads) do
  local kind = string.sub(ARGV[4 + target], 1, 1)
  if kind == 'o' then
    put_in_order(KEYS[6 + target], KEYS[7 + target], stored)
  else
    redis.call(kind == 'z' and 'ZADD' or 'LPUSH', KEYS[6 + target], unpack(stored))
  end
  if seconds ~= '0' then redis.call('EXPIRE', KEYS[6 + target], seconds) end
end
-- Neighbours are written together.
local from, run = nil, {}
for _, each in ipairs(added) do
  if from and each[1] ~= from + #run then
    redis.call('SETRANGE', states, from, table.concat(run))
    from, run = nil, {}
  end
  from = from or each[1]
  run[#run + 1] = each[2]
end
redis.call('SETRANGE', states, from, table.concat(run))
if #reasons > 0 then redis.call('HSET', texts, unpack(reasons)) end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HINCRBY', counters, 'total', #added)
redis.call('HINCRBY', counters, 'fresh', #added - skipped)
if skipped > 0 then redis.call('HINCRBY', counters, 'skipped', skipped) end
redis.call('HSET', counters, 'changed', now)
redis.call('ZADD', KEYS[4], 'XX', now, ARGV[1])
if seconds ~= '0' then
  for _, i in ipairs({1, 2, 3, 6}) do redis.call('EXPIRE', KEYS[i], seconds) end
end
return {1, #added}
