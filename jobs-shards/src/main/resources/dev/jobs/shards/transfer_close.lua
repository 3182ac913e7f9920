-- Ends a transfer that has no slice.
--
-- KEYS  1 names of queues with an open transfer  2 the transfer of the queue
-- ARGV  1 name of the queue  2 id of the transfer
-- Returns 1; 0 if it is over; -1 if it has a slice
local known = redis.call('HMGET', KEYS[2], 'id', 'slice')
if known[1] ~= ARGV[2] then return 0 end
if known[2] then return -1 end
redis.call('DEL', KEYS[2])
redis.pcall('SREM', KEYS[1], ARGV[1])
return 1
