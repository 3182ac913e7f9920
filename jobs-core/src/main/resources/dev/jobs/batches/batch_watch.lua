-- Looks after batches: removes from the lists those whose keys have expired, and notes those that want a look although
-- nothing says so, since a note could not be written or was deleted.
--
-- KEYS  1 batches  2 open batches  3 cancelled batches  4 batches that want a look
--       then for each batch two: its counters, its definition
-- ARGV  1… the ids of these batches
-- Returns two for each batch: a text that changes with its counters, '' if it is gone, '?' if its keys hold another
--         type; 1 if it was noted, else 0
local FIELDS = {'total', 'fresh', 'again', 'ok', 'failed', 'dead', 'skipped', 'lost', 'open', 'waits', 'children',
  'children_open', 'children_bad', 'cancelled', 'attempted', 'finished', 'succeeded', 'died', 'told', 'c1', 'c2', 'c3',
  'c4'}

local function wants_look(batch, tolerates, is_open)
  local judged = judge(batch, string.find(tolerates, 'f', 1, true), string.find(tolerates, 'k', 1, true))
  for event, name in ipairs(EVENTS) do
    if judged.due[event] and not batch[name] then return true end
  end
  if judged.over() then return is_open end
  return batch.finished and batch.told and not is_open -- a job of it was revived, or a callback
end

local answer = {}
redis.call('ZREM', KEYS[4], '') -- removal first: a full Redis then allows the other writes
for i, id in ipairs(ARGV) do
  local counters, text, noted = KEYS[3 + 2 * i], {}, 0
  local values = redis.pcall('HMGET', counters, unpack(FIELDS))
  if values.err then
    text = '?'
  elseif not values[1] then
    text = ''
    for list = 1, 3 do redis.call('ZREM', KEYS[list], id) end
  else
    local batch = {}
    for at, field in ipairs(FIELDS) do
      batch[field] = values[at] or nil
      text[at] = values[at] or ''
    end
    text = table.concat(text, ' ')
    local tolerates = redis.pcall('HGET', KEYS[4 + 2 * i], 'tolerates')
    local is_open = redis.call('ZSCORE', KEYS[2], id)
    if wants_look(batch, type(tolerates) == 'string' and tolerates or '', is_open) then
      noted = redis.call('ZADD', KEYS[4], 'NX', redis.call('TIME')[1], id)
    end
  end
  answer[2 * i - 1], answer[2 * i] = text, noted
end
return answer
