-- A gate: ordered queues. Behind the jobs of its list, those in the sorted set beside it are taken.
--
-- KEYS  sorted set and tags of each ordered queue
-- ARGV  index of the first of these keys, number of ordered queues, index of the list of each
local function open(at)
  local k, count = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local index_of = {}
  gate = gate or {beside = nil, put = nil, take = nil} -- so that there is room for them
  for i = 1, count do index_of[tonumber(ARGV[at + 1 + i])] = k + 2 * (i - 1) end

  if ARGV[14] ~= '0' then -- only moves put jobs there
    local other_beside, other_put = gate.beside, gate.put
    gate.beside = function(q)
      local index = index_of[q]
      if not index then return other_beside(q) end
      return KEYS[index], KEYS[index + 1], 'zset'
    end
    gate.put = function(q, rank, payload)
      local index = index_of[q]
      if not index then return other_put(q, rank, payload) end
      put_in_order(KEYS[index], KEYS[index + 1], {rank, payload})
    end
  end

  local other_take = gate.take
  gate.take = function(q, want)
    local index = index_of[q]
    if not index then return other_take and other_take(q, want) end
    begin(q)
    local failure = take_in_order(KEYS[index], KEYS[index + 1], want - taken, room, accept, function() keep(q) end)
    -- Who deletes the queue in Sidekiq deletes its list and name only.
    if taken > before then redis.pcall('SADD', KEYS[6], ARGV[NAMES + q]) end
    return failure
  end

  return at + 2 + count
end
