-- Reads what jobs of a batch have left: each may have messages, and a result of 64 KiB.
--
-- KEYS  1 texts of its jobs
-- ARGV  1 bytes at most, unless those of the first job alone are more; then the positions of the jobs
-- Returns four for each job that was read, in order: messages of ended executions, those of a running one, progress,
--         result; each '' if there is none
local room, read = tonumber(ARGV[1]), {}
for i = 2, #ARGV do
  local position = ARGV[i]
  local texts = redis.pcall('HMGET', KEYS[1], 'm' .. position, 'n' .. position, 'p' .. position, 'r' .. position)
  for each = 1, 4 do
    local text = texts[each] or ''
    room = room - #text
    texts[each] = text
  end
  if room < 0 and i > 2 then break end
  for each = 1, 4 do read[#read + 1] = texts[each] end
end
return read
