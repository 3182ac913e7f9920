-- A gate of tests: queues that are shut while a key exists. It counts the jobs that it lets through.
--
-- KEYS  of each such queue: that key, and its count
-- ARGV  index of the first of these keys, number of queues, index of the list of each
local function open(at)
  local k, count = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local known = {}
  gate = gate or {}
  local other_room, other_hold, other_full = gate.room, gate.hold, gate.full
  for i = 1, count do known[tonumber(ARGV[at + 1 + i])] = k + 2 * (i - 1) end

  local function is_shut(q) return known[q] and redis.call('EXISTS', KEYS[known[q]]) == 1 end

  gate.room = function(q, want)
    if other_room then want = other_room(q, want) end
    return is_shut(q) and taken or want
  end

  gate.hold = function(q)
    if other_hold then other_hold(q) end
    if known[q] then redis.call('INCRBY', KEYS[known[q] + 1], taken - before) end
  end

  gate.full = function()
    local found = other_full and other_full() or {}
    for q in pairs(known) do
      if is_shut(q) then found[#found + 1] = q end
    end
    return found
  end

  return at + 2 + count
end
