-- Reads the sizes of queues.
--
-- KEYS  the queues
-- Returns {for each queue: number of jobs, -1 if its key holds no list}
local sizes = {}
for i = 1, #KEYS do
  local size = redis.pcall('LLEN', KEYS[i])
  sizes[i] = type(size) == 'number' and size or -1
end
return sizes
