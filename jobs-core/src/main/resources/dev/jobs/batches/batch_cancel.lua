-- Cancels batches that have not ended, or run again, since jobs of them were revived. No more jobs are added to them. Of
-- a batch that was cancelled before, it only restores the notes of that.
--
-- KEYS  1 cancelled batches  2 batches that want a look; then for each batch three: its counters, its definition, its
--       children
-- ARGV  1… their ids
-- Returns three for each batch: 1 it is cancelled | 2 so it is, and over | 0 it has ended or there is none | -1 its
--         counters hold another type; the id of its next batch or ''; the number of its children
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answer = {}
redis.call('ZREM', KEYS[1], '') -- removal first: a full Redis then allows the other writes
for i, id in ipairs(ARGV) do
  local counters, definition, children = KEYS[3 * i], KEYS[3 * i + 1], KEYS[3 * i + 2]
  local known = redis.pcall('HMGET', counters, 'total', 'finished', 'cancelled', 'fresh', 'again', 'children_open')
  local result = known.err and -1 or 0
  local pending = (tonumber(known[4] or 0) or 0) + (tonumber(known[5] or 0) or 0) + (tonumber(known[6] or 0) or 0)
  local over = known[2] and pending <= 0
  if known[1] and (known[3] or not over) then
    result = over and 2 or 1
    if not known[3] then
      redis.call('HSET', counters, 'cancelled', now, 'changed', now, 'open', 0)
    end
    if not over then
      redis.call('ZADD', KEYS[1], 'NX', now, id)
      redis.call('ZADD', KEYS[2], 'NX', time[1], id)
    end
  end
  local next, count = redis.pcall('HGET', definition, 'next'), redis.pcall('SCARD', children)
  local at = 3 * i - 2
  answer[at], answer[at + 1], answer[at + 2] = result, type(next) == 'string' and next or '', tonumber(count) or 0
end
return answer
