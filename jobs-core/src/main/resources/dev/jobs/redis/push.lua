-- Puts jobs into one queue, once however often the call is repeated.
--
-- A slot belongs to one push at a time, so a higher number in it means that this is a late copy of a push that is over.
-- The first write is no removal on purpose: a full Redis must refuse new jobs.
--
-- KEYS  1 this client's pushes  2 queues  3 queue list
-- ARGV  1 slot  2 number of the push  3 milliseconds that it is remembered  4 name of the queue  5… payloads, first one is taken first
-- Returns 1 if they were stored now, 0 if they had been before
local last = redis.call('HGET', KEYS[1], ARGV[1])
if last and tonumber(last) >= tonumber(ARGV[2]) then return 0 end
redis.call('LPUSH', KEYS[3], unpack(ARGV, 5))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.pcall('SADD', KEYS[2], ARGV[4])
return 1
