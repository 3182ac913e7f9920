-- Shared: limits of whole queues in a claim. Each job that is taken from such a queue gets a permit of the limit
-- queue:NAME, whose key is empty, in the same step; the other jobs stay where they are. The arguments stand before
-- those of the effects. A call for queues without limits has none.
--
-- KEYS  limits, limits to look at, limits by token of this process, then the permits of each limited queue
-- ARGV  'queue_limits', index of the first of these keys, number of limited queues, jobs of all of them at most
--       then for each: index of its queue list, number of its permits or '' if this process doesn't know
--
-- queue_limits(at, names)      Reads the arguments at index at. Returns what follows, and the index behind them.
--   room(q, want, taken)       Returns how many jobs the call may have taken after list q, which is at most want.
--   hold(q, me, tokens)        Gives a permit to each token that is taken from list q.
--   held_for(q)                Returns what a token from list q holds, as a beginning for more of its limits; nil if
--                              nothing.
--   full()                     Returns the indexes of the lists whose permits are all held; negative where a key has
--                              the wrong type.
local function read(at, names)
  local k, count, places = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local limits, wake, by_token = KEYS[k], KEYS[k + 1], KEYS[k + 2]
  local known = {}
  for i = 1, count do
    local q, own = tonumber(ARGV[at + 2 + 2 * i]), ARGV[at + 3 + 2 * i]
    known[q] = {name = 'queue:' .. ARGV[names + q], own = own ~= '' and own or nil, permits = KEYS[k + 2 + i]}
  end

  local function room(q, want, taken)
    local limit = known[q]
    if not limit then return want end
    if limit.own and redis.pcall('HEXISTS', limits, 'd:' .. limit.name) == 0 then
      redis.pcall('HSET', limits, 'd:' .. limit.name, limit.own)
      redis.pcall('ZADD', wake, 'NX', 0, '')
    end
    limit.most = most(limits, limit.name, limit.own)
    if not limit.most then return want end
    limit.broken = not fits(limit.permits, 'zset') or not fits(by_token, 'hash')
    if limit.broken then return taken end
    limit.held = out(limit.permits, '')
    return math.min(want, taken + math.max(0, math.min(limit.most - limit.held, places)))
  end

  local function hold(q, me, tokens)
    local limit = known[q]
    if not limit or not limit.most then return end
    local shares, permits = {}, {}
    for i, token in ipairs(tokens) do
      shares[2 * i - 1], shares[2 * i] = token, limit.name .. '\n'
      permits[2 * i - 1], permits[2 * i] = 0, '\n' .. me .. '\n' .. token
    end
    redis.call('HSET', by_token, unpack(shares))
    redis.call('ZADD', limit.permits, unpack(permits))
    limit.held = limit.held + #tokens
    places = places - #tokens
  end

  local function held_for(q)
    local limit = known[q]
    return limit and limit.most and limit.name .. '\n\n' or nil
  end

  local function full()
    local found = {}
    for q, limit in pairs(known) do
      if limit.broken then
        found[#found + 1] = -q
      elseif limit.held and limit.held >= limit.most then
        found[#found + 1] = q
      end
    end
    return found
  end

  return {room = room, hold = hold, held_for = held_for, full = full}, at + 4 + 2 * count
end
