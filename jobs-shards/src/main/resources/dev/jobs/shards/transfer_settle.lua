-- Removes a slice that the target has stored, and counts its jobs.
--
-- KEYS  1 the transfer  2 its slice
-- ARGV  1 id of the transfer  2 the slice as NUMBER:MARK
-- Returns 1, or 0 if that slice is gone
local known = redis.call('HMGET', KEYS[1], 'id', 'slice')
if known[1] ~= ARGV[1] or known[2] ~= ARGV[2] then return 0 end
local by = {}
for _, entry in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  local place = string.match(entry, '^%S+')
  by[place] = (by[place] or 0) + 1
end
redis.call('HDEL', KEYS[1], 'slice') -- a removal, and first, so that a full Redis allows the rest
redis.call('DEL', KEYS[2])
for place, count in pairs(by) do redis.call('HINCRBY', KEYS[1], 'moved:' .. place, count) end
return 1
