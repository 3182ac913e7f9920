-- Releases staged jobs of a batch: moves some of them, in order, to their queue or to the scheduled set. Each is
-- written there before it leaves its place.
--
-- KEYS  1 the staged jobs, a list or a sorted set  2 the queue list, or the scheduled set  3 queues
--       4 tags, if the second one is the sorted set of an ordered queue
-- ARGV  1 name of the queue; '' for a sorted set  2 jobs at most  3 bytes at most, unless the first one alone is larger
--       then, if jobs of a list are to be stored with other bytes or in order, two for each: its bytes, the bytes to
--       store, and a third in an ordered queue, its rank; the first job that is another one ends the call
-- Returns {jobs moved, jobs left}, or {-1} if the target has the wrong type
local staged, target, name = KEYS[1], KEYS[2], ARGV[1]
local most, room, is_list = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[1] ~= ''
local type = redis.call('TYPE', target)['ok']
local ordered = KEYS[4] ~= nil
if type ~= 'none' and type ~= (is_list and not ordered and 'list' or 'zset') then return {-1} end
-- Removal first, of nothing: a full Redis then allows the other writes, and a missing right shows.
if is_list then redis.call('LTRIM', staged, 0, -1) else redis.call('ZREM', staged, '') end
local moved = 0
if ordered or #ARGV > 3 then
  for at = 4, #ARGV, ordered and 3 or 2 do
    if redis.call('LINDEX', staged, -1) ~= ARGV[at] then break end
    if ordered then put_in_order(target, KEYS[4], {ARGV[at + 2], ARGV[at + 1]}) else redis.call('LPUSH', target, ARGV[at + 1]) end
    redis.call('LTRIM', staged, 0, -2)
    moved = moved + 1
  end
elseif is_list then
  local biggest = 1
  while moved < most and room > 0 do
    -- Two jobs first, then larger chunks sized by the largest job so far: sizes are unknown until a job is read.
    local chunk = math.max(1, math.min(most - moved, moved == 0 and 2 or moved * 4, math.floor(room / biggest)))
    local jobs = redis.call('LRANGE', staged, -chunk, -1)
    if #jobs == 0 then break end
    local payloads = {}
    for i = #jobs, 1, -1 do
      payloads[#payloads + 1] = jobs[i]
      biggest = math.max(biggest, #jobs[i])
      room = room - #jobs[i]
    end
    redis.call('LPUSH', target, unpack(payloads))
    redis.call('LTRIM', staged, 0, -#jobs - 1)
    moved = moved + #jobs
  end
else
  while moved < most and room > 0 do
    local first = redis.call('ZRANGE', staged, 0, 0, 'WITHSCORES')
    if not first[1] then break end
    redis.call('ZADD', target, first[2], first[1])
    redis.call('ZREM', staged, first[1])
    room = room - #first[1]
    moved = moved + 1
  end
end
if is_list and moved > 0 then redis.pcall('SADD', KEYS[3], name) end
return {moved, is_list and redis.call('LLEN', staged) or redis.call('ZCARD', staged)}
