-- One step through a sorted set or a hash, in no order. Returns some entries and stops after a number of bytes. Each
-- scan command reads one entry or a few, since sizes are unknown until an entry is read. With a pattern only matches
-- are returned: commands look at more and more entries as long as none matches.
--
-- KEYS  1 the sorted set or the hash
-- ARGV  1 ZSCAN or HSCAN  2 cursor  3 entries after which to stop; with a pattern, entries to look at
--       4 bytes after which to stop
--       5 pattern of the wanted entries, or nothing
-- Returns {the next cursor, {entry, its score or value, …}, number of entries looked at, at least}
local MOST_AT_ONCE = 16
local cursor, looks, room, found = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), {}
local looked, count = 0, 1
while looked < (ARGV[5] and looks or 10 * looks) do -- in a hash that was emptied, most commands find nothing
  looked = looked + count
  local step
  if ARGV[5] then step = redis.pcall(ARGV[1], KEYS[1], cursor, 'MATCH', ARGV[5], 'COUNT', count)
  else step = redis.pcall(ARGV[1], KEYS[1], cursor, 'COUNT', 1) end
  if step.err then return step end
  cursor = step[1]
  for _, part in ipairs(step[2]) do
    found[#found + 1] = part
    room = room - #part
  end
  if cursor == '0' or room <= 0 or #found >= 2 * looks then break end
  if ARGV[5] then count = #step[2] > 0 and 1 or math.min(2 * count, MOST_AT_ONCE, math.max(looks - looked, 1)) end
end
return {cursor, found, looked}
