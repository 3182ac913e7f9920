-- Removes a stopping process from the live ones. If it still holds jobs, it is given up instead, so that the next round
-- hands them on.
--
-- KEYS  1 beats  2 seen  3 in-flight hash of this process  4 dear-leader  5… roles for which it stood
-- ARGV  1 incarnation
-- Returns the number of jobs it still holds
local me = ARGV[1]
local held, line = redis.call('HLEN', KEYS[3]), 0
while redis.call('HEXISTS', KEYS[3], '#' .. line) == 1 do
  held = held - 1
  line = line + 1
end
local known = redis.call('ZREM', KEYS[1], me)
redis.pcall('HDEL', KEYS[2], me)
if held > 0 then
  if known == 1 then redis.call('ZADD', KEYS[1], -1, me) end
else
  redis.call('DEL', KEYS[3])
end
for i = 4, #KEYS do
  if redis.pcall('GET', KEYS[i]) == me then redis.call('DEL', KEYS[i]) end
end
return held
