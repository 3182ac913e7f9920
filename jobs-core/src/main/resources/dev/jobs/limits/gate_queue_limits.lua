-- A gate: limits of whole queues. Each job that is taken from such a queue gets a permit of the limit queue:NAME, whose
-- key is empty, in the same step; the other jobs stay where they are.
--
-- KEYS  limits, limits to look at, limits by token of this process, then the permits of each limited queue
-- ARGV  index of the first of these keys, number of limited queues, jobs of all of them at most
--       then for each: index of its queue list, number of its permits or '' if this process doesn't know
local function open(at)
  local k, count, jobs_left = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local limits, wake, by_token = KEYS[k], KEYS[k + 1], KEYS[k + 2]
  local known = {}
  gate = gate or {room = nil, hold = nil, held = nil, full = nil} -- so that there is room for them
  local other_room, other_hold, other_full = gate.room, gate.hold, gate.full
  for i = 1, count do
    local q, own = tonumber(ARGV[at + 1 + 2 * i]), ARGV[at + 2 + 2 * i]
    known[q] = {name = 'queue:' .. ARGV[NAMES + q], own = own ~= '' and own or nil, permits = KEYS[k + 2 + i]}
  end

  gate.room = function(q, want)
    local limit = known[q]
    if other_room then want = other_room(q, want) end
    if not limit then return want end
    limit.most = most(limits, limit.name, limit.own, wake)
    if not limit.most then return want end
    limit.broken = not fits(limit.permits, 'zset') or not fits(by_token, 'hash')
    if limit.broken then return taken end
    limit.held = out(limit.permits, '')
    return math.min(want, taken + math.max(0, math.min(limit.most - limit.held, jobs_left)))
  end

  gate.hold = function(q)
    local limit = known[q]
    if other_hold then other_hold(q) end
    if not limit or not limit.most then return end
    local shares, permits, count = {}, {}, taken - before
    for i = 1, count do
      local token = fields[2 * i + 1]
      shares[2 * i - 1], shares[2 * i] = token, limit.name .. '\n'
      permits[2 * i - 1], permits[2 * i] = 0, '\n' .. me .. '\n' .. token
    end
    redis.call('HSET', by_token, unpack(shares))
    redis.call('ZADD', limit.permits, unpack(permits))
    limit.held = limit.held + count
    jobs_left = jobs_left - count
  end

  gate.held = function(q)
    local limit = known[q]
    return limit and limit.most and limit.name .. '\n\n' or nil
  end

  gate.full = function()
    local found = other_full and other_full() or {}
    for q, limit in pairs(known) do
      if limit.broken then
        found[#found + 1] = -q
      elseif limit.held and limit.held >= limit.most then
        found[#found + 1] = q
      end
    end
    return found
  end

  return at + 3 + 2 * count
end
