-- Puts jobs into one queue, once, even if the call is repeated.
--
-- A slot belongs to one push at a time. A higher number in it, or the same number with another mark, therefore means
-- that this is a late copy of a finished push, or that another client has the same id because its process was cloned.
-- The first write is deliberately not a removal: a full Redis must refuse new jobs.
--
-- KEYS  1 this client's pushes  2 queues  3 queue list
-- ARGV  1 slot  2 number of the push, colon, mark of its content  3 milliseconds to remember it
--       4 name of the queue  5… payloads; the first one is taken first
-- Returns 1 if they were stored now, 0 if the same push had stored them, -1 if another push has used the slot
local last = redis.call('HGET', KEYS[1], ARGV[1])
if last == ARGV[2] then return 0 end
if last and tonumber(string.match(last, '^%d+')) >= tonumber(string.match(ARGV[2], '^%d+')) then return -1 end
redis.call('LPUSH', KEYS[3], unpack(ARGV, 5))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.pcall('SADD', KEYS[2], ARGV[4])
return 1
