-- Reads the sizes of queues.
--
-- KEYS  the queues, then the sorted set beside each
-- Returns {two for each queue: number of jobs in its list, in its sorted set; -1 if the key has another type}
local sizes = {}
local function add(command, key)
  local size = redis.pcall(command, key)
  sizes[#sizes + 1] = type(size) == 'number' and size or -1
end
for i = 1, #KEYS / 2 do
  add('LLEN', KEYS[i])
  add('ZCARD', KEYS[#KEYS / 2 + i])
end
return sizes
