-- Puts jobs into the scheduled set, once however often the call is repeated.
--
-- A slot belongs to one push at a time. So a higher number in it means that this is a late copy of a push that is over, or that another client
-- has the same id, as after its process was cloned. So does the same number with another mark.
-- The first write is no removal on purpose: a full Redis must refuse new jobs.
--
-- KEYS  1 this client's pushes  2 schedule
-- ARGV  1 slot  2 number of the push, colon, mark of what it stores  3 milliseconds that it is remembered  4… due time in epoch seconds, payload, and so on
-- Returns 1 if they were stored now, 0 if they had been before by the same push, -1 if another push has had the slot since
local last = redis.call('HGET', KEYS[1], ARGV[1])
if last == ARGV[2] then return 0 end
if last and tonumber(string.match(last, '^%d+')) >= tonumber(string.match(ARGV[2], '^%d+')) then return -1 end
redis.call('ZADD', KEYS[2], unpack(ARGV, 4))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
