-- Puts jobs into the scheduled set, once, even if the call is repeated.
--
-- A slot belongs to one push at a time. A higher number in it, or the same number with another mark, therefore means
-- that this is a late copy of a finished push, or that another client has the same id because its process was cloned.
-- The first write is deliberately not a removal: a full Redis must refuse new jobs.
--
-- KEYS  1 this client's pushes  2 schedule
-- ARGV  1 slot  2 number of the push, colon, mark of its content  3 milliseconds to remember it
--       4… due time in epoch seconds, payload, and so on
-- Returns 1 if they were stored now, 0 if the same push had stored them, -1 if another push has used the slot
local last = redis.call('HGET', KEYS[1], ARGV[1])
if last == ARGV[2] then return 0 end
if last and tonumber(string.match(last, '^%d+')) >= tonumber(string.match(ARGV[2], '^%d+')) then return -1 end
redis.call('ZADD', KEYS[2], unpack(ARGV, 4))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
