-- Removes batches whose keys have expired from the lists of batches.
--
-- KEYS  1 batches  2 open batches  3 cancelled batches  4… counters of some batches
-- ARGV  1… the ids of these batches
-- Returns the number of those that are gone
local gone = 0
for i, id in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[3 + i]) == 0 then
    gone = gone + 1
    for list = 1, 3 do redis.call('ZREM', KEYS[list], id) end
  end
end
return gone
