-- Has a look at a batch: notes each event that has come, once; pushes its callback in the same step; tells the parent,
-- opens the next batch, and lets the keys of a batch that is over expire. May run anywhere, any number of times.
--
-- KEYS  1 its counters  2 its definition  3 states of its jobs  4 states of the jobs that it grew by
--       5 texts of its jobs
--       6 its children  7 open batches  8 batches that want a look  9 cancelled batches  10 queues
--       11 counters of its parent, or 1 again  12 counters of the next batch, or 1 again  13… queues of callbacks
-- ARGV  1 its id  2 id of its parent or ''  3 id of the next batch or ''  4 seconds that it is kept
--       5 the same if it has dead jobs  6 '1' if failed jobs don't keep it from succeeding  7 the same for skipped ones
--       8 '1' if the caller has released all staged jobs, as of a batch that has begun  9 number of callbacks
--       then four for each callback: number of its event (1 attempted | 2 finished | 3 succeeded | 4 died), index of
--       its queue from 1, name of the queue, payload
-- Returns {-1} if there is no such batch, {-2, event} if the queue of that callback is no list, else
--         {1, milliseconds of the latest change, numbers of the events that this call noted …}
local counters, rest, id = KEYS[1], KEYS[8], ARGV[1]
local raw = redis.call('HGETALL', counters)
if #raw == 0 then
  redis.call('ZREM', rest, id)
  redis.call('ZREM', KEYS[7], id)
  redis.call('ZREM', KEYS[9], id)
  return {-1}
end
local batch = {}
for i = 1, #raw, 2 do batch[raw[i]] = raw[i + 1] end
local function number(field) return tonumber(batch[field] or 0) or 0 end

local judged = judge(batch, ARGV[6] == '1', ARGV[7] == '1')
local due, begun, succeeded = judged.due, judged.begun, judged.due[3]

local callbacks = {}
for i = 1, tonumber(ARGV[9]) do
  local at = 6 + 4 * i
  local event = tonumber(ARGV[at])
  callbacks[event] = {key = KEYS[12 + tonumber(ARGV[at + 1])], name = ARGV[at + 2], payload = ARGV[at + 3]}
  if due[event] and not batch[EVENTS[event]] then
    local type = redis.call('TYPE', callbacks[event].key)['ok']
    if type ~= 'none' and type ~= 'list' then return {-2, event} end
  end
end

-- What it tells other batches is told once, so an error must come before.
for i = 11, 12 do
  local type = redis.call('TYPE', KEYS[i])['ok']
  if type ~= 'none' and type ~= 'hash' then return redis.error_reply('WRONGTYPE ' .. KEYS[i] .. ' holds no hash') end
end

redis.call('ZREM', KEYS[9], '') -- removal first: a full Redis then allows the other writes
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answer = {1, now}
for event, name in ipairs(EVENTS) do
  if due[event] and not batch[name] then
    redis.call('HSET', counters, 'changed', now) -- if that is forbidden, the callback must not be stored
    if callbacks[event] then
      redis.call('LPUSH', callbacks[event].key, callbacks[event].payload)
      redis.pcall('SADD', KEYS[10], callbacks[event].name)
      batch['c' .. event] = 'q'
      redis.call('HSET', counters, 'c' .. event, 'q')
    end
    batch[name] = now
    redis.call('HSET', counters, name, now)
    answer[#answer + 1] = event
  end
end

local over = judged.over()

-- A success is told once, a finish without success too; a later success corrects it. While a cancelled batch waits for
-- another one, its parent counts that one, not this. It counts none that was cancelled before its commit.
local parent, told = ARGV[2] ~= '' and batch.committed and KEYS[11], batch.told
local tells = over and number('waits') == 0 and (succeeded and 'succeeded' or 'finished') or told
if tells ~= told and told ~= 'succeeded' then
  redis.call('HSET', counters, 'told', tells)
  local opens = tells == 'succeeded' and ARGV[3] ~= '' and redis.call('EXISTS', KEYS[12]) == 1
  if opens then
    redis.call('HSET', KEYS[12], 'waits', 0)
    redis.call('ZADD', rest, 'NX', time[1], ARGV[3])
  end
  if parent and redis.call('EXISTS', parent) == 1 then
    -- The next batch stands in for this one until it has ended.
    local open = (opens and 1 or 0) - (told and 0 or 1)
    local bad = (tells == 'finished' and 1 or 0) - (told == 'finished' and 1 or 0)
    if open ~= 0 then redis.call('HINCRBY', parent, 'children_open', open) end
    if bad ~= 0 then redis.call('HINCRBY', parent, 'children_bad', bad) end
    redis.call('ZADD', rest, 'NX', time[1], ARGV[2])
  end
end

local own = {1, 2, 3, 4, 5, 6}
if over then
  redis.call('ZREM', KEYS[7], id)
  redis.call('ZREM', KEYS[9], id)
  local seconds = number('dead') > 0 and ARGV[5] or ARGV[4]
  for _, key in ipairs(own) do redis.call('EXPIRE', KEYS[key], seconds) end
elseif batch.finished and batch.told then
  -- A job of it was revived, or a callback.
  for _, key in ipairs(own) do redis.call('PERSIST', KEYS[key]) end
  redis.call('ZADD', KEYS[7], 'NX', now, id)
end
-- The caller has more to do: to release staged jobs, or after an event if there is a next batch. It looks again.
if begun and ARGV[8] ~= '1' or #answer > 2 and ARGV[3] ~= '' then redis.call('ZADD', rest, 'XX', time[1], id)
else redis.call('ZREM', rest, id) end
return answer
