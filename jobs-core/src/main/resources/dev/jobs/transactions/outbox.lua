-- Stores a slice of an outbox: jobs of any queues and of the scheduled set, once, even if the call is repeated later or
-- by another process. The first write is deliberately not a removal: a full Redis must refuse new jobs.
--
-- KEYS  1 outboxes  2 scheduled set  3 queues  4… queue lists; of an ordered queue its sorted set, then its tags
-- ARGV  1 the lane that the slice is from  2 number of the slice  3… names of the queues, one for each queue list; a
--       line break before it for a sorted set, and only that for tags;
--       behind them for each job: index of its queue list among those, from 1, or 0 for the scheduled set; when it is
--       due, in epoch seconds, or its rank in an ordered queue, or empty; payload
-- Returns 1, or 0 if this slice or a later one of the lane was stored before
local last = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if last >= tonumber(ARGV[2]) then
  -- WAIT and WAITAOF answer for the last write of their connection, so this one has to write as well.
  redis.call('HSET', KEYS[1], ARGV[1], last)
  return 0
end

-- A key of another type is an error of the whole call, before anything is written.
redis.call('ZCARD', KEYS[2])
redis.call('SCARD', KEYS[3])
for at = 4, #KEYS do redis.call(string.byte(ARGV[at - 1]) == 10 and 'ZCARD' or 'LLEN', KEYS[at]) end

redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
local queues, ordered = #KEYS - 3, {}
for at = 3 + queues, #ARGV, 3 do
  local target = tonumber(ARGV[at])
  if target == 0 then
    redis.call('ZADD', KEYS[2], ARGV[at + 1], ARGV[at + 2])
  elseif ARGV[at + 1] ~= '' then
    ordered[target] = ordered[target] or {}
    table.insert(ordered[target], ARGV[at + 1])
    table.insert(ordered[target], ARGV[at + 2])
  else
    redis.call('LPUSH', KEYS[3 + target], ARGV[at + 2])
  end
end
for target, jobs in pairs(ordered) do put_in_order(KEYS[3 + target], KEYS[4 + target], jobs) end
for queue = 1, queues do
  local name = string.match(ARGV[2 + queue], '[^\n]+')
  if name then redis.call('SADD', KEYS[3], name) end
end
return 1
