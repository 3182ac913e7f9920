-- Puts jobs into the scheduled set, once however often the call is repeated.
--
-- A slot belongs to one push at a time, so a higher number in it means that this is a late copy of a push that is over.
-- The first write is no removal on purpose: a full Redis must refuse new jobs.
--
-- KEYS  1 this client's pushes  2 schedule
-- ARGV  1 slot  2 number of the push  3 milliseconds that it is remembered  4… due time in epoch seconds, payload, and so on
-- Returns 1 if they were stored now, 0 if they had been before
local last = redis.call('HGET', KEYS[1], ARGV[1])
if last and tonumber(last) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[2], unpack(ARGV, 4))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
