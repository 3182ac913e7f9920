-- Commits batches, all or none: no more jobs come from outside, so each can finish once its jobs have ended. Children
-- are counted by their parents from now on.
--
-- KEYS  1 batches that want a look; then for each batch: its counters, definition, states, states of jobs it grew by,
--       texts, children; children of its parent, counters of its parent, if it is counted there; its staged jobs
-- ARGV  1 number of batches
--       then for each: its id; '1' if it is counted by a parent; number of keys with staged jobs, of which the first
--       is a sorted set; '1' if all its jobs are staged
-- Returns {1}, or {0, id} if there is no such batch, {-1, id} if its parent is over or cancelled, {-2, id} if staged
--         jobs are missing, {-3, id} if it was cancelled before and others depend on its commit
local rest, count = KEYS[1], tonumber(ARGV[1])
local batches, key, at, known = {}, 2, 2, {}
for i = 1, count do
  local child, staged = ARGV[at + 1] == '1', tonumber(ARGV[at + 2])
  local last = key + 5 + (child and 2 or 0) + staged
  batches[i] = {id = ARGV[at], first = key, last = last, child = child, staged = ARGV[at + 3] == '1' and staged}
  known[KEYS[key]] = true
  key, at = last + 1, at + 4
end
for _, batch in ipairs(batches) do
  local state = redis.call('HMGET', KEYS[batch.first], 'open', 'committed', 'cancelled', 'fresh')
  if not state[1] then return {0, batch.id} end
  batch.committed = state[1] == '0' -- or cancelled: then it ends by itself
  if state[3] and not state[2] and (count > 1 or batch.child) then return {-3, batch.id} end
  if batch.child and not batch.committed and not known[KEYS[batch.first + 7]] then
    local parent = redis.call('HMGET', KEYS[batch.first + 7], 'open', 'fresh', 'again', 'children_open', 'cancelled')
    local busy = 0
    for i = 1, 4 do busy = busy + tonumber(parent[i] or 0) end
    if busy <= 0 or parent[5] then return {-1, batch.id} end
  end
  if batch.staged and not batch.committed then
    local waiting = redis.call('ZCARD', KEYS[batch.last - batch.staged + 1])
    for i = batch.last - batch.staged + 2, batch.last do waiting = waiting + redis.call('LLEN', KEYS[i]) end
    if waiting ~= tonumber(state[4]) then return {-2, batch.id} end
  end
end
redis.call('ZREM', rest, '') -- removal first: a full Redis then allows the other writes
local time = redis.call('TIME')
local committed, counted = time[1] * 1000 + math.floor(time[2] / 1000), {}
for _, batch in ipairs(batches) do
  if not batch.committed then
    local counters = KEYS[batch.first]
    for i = batch.first, batch.last do
      if not (batch.child and (i == batch.first + 6 or i == batch.first + 7)) then redis.call('PERSIST', KEYS[i]) end
    end
    redis.call('HSET', counters, 'open', 0, 'committed', committed)
    if batch.child then
      local parent = KEYS[batch.first + 7]
      redis.call('SADD', KEYS[batch.first + 6], batch.id)
      counted[parent] = (counted[parent] or 0) + 1
    end
    redis.call('ZADD', rest, 'NX', time[1], batch.id)
  end
end
for parent, children in pairs(counted) do
  redis.call('HINCRBY', parent, 'children', children)
  redis.call('HINCRBY', parent, 'children_open', children)
end
return {1}
