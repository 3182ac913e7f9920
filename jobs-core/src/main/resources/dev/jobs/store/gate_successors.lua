-- A gate: at the queue at which another claim of this process stands, only jobs are taken that settled jobs of this call
-- let go on. They are at the front of its list. Later ones would be heard of before those that the other claim has taken.
--
-- ARGV  index of the queue list
local function open(at)
  local mine = tonumber(ARGV[at])
  gate = gate or {}
  local other = gate.room
  gate.room = function(q, want)
    local most = other and other(q, want) or want
    if q ~= mine then return most end
    return math.min(most, taken + (went_on and went_on[KEYS[FIRST_LIST + q]] or 0))
  end
  return at + 1
end
