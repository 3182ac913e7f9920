-- One step through a sorted set or a hash, in no order: some entries, and no more when they have so many bytes. Each look is at one entry
-- or a few, since how large they are is not known before they are read.
--
-- KEYS  1 the sorted set or the hash
-- ARGV  1 ZSCAN or HSCAN  2 cursor  3 entries after which to stop, or with a pattern looks  4 bytes after which to stop
--       5 pattern of what is wanted, or nothing
-- Returns {the next cursor, {entry, its score or value, …}, looks that were made}
local cursor, looks, room, found = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), {}
local made = 0
while made < (ARGV[5] and looks or 10 * looks) do -- of a hash that was emptied most looks find nothing
  made = made + 1
  local step
  if ARGV[5] then step = redis.pcall(ARGV[1], KEYS[1], cursor, 'MATCH', ARGV[5], 'COUNT', 1)
  else step = redis.pcall(ARGV[1], KEYS[1], cursor, 'COUNT', 1) end
  if step.err then return step end
  cursor = step[1]
  for _, part in ipairs(step[2]) do
    found[#found + 1] = part
    room = room - #part
  end
  if cursor == '0' or room <= 0 or #found >= 2 * looks then break end
end
return {cursor, found, made}
