-- Begins a job that expires, unless it has expired by the server's clock. From then on the process holds it with other
-- bytes, which say that it was begun in time: a process that gets it from this one keeps them. May be repeated.
--
-- KEYS  1 in-flight hash of this process
-- ARGV  1 token of the job  2 when it expires, in microseconds  3 the job as it is held from now on
-- Returns 1 if the job may run, 0 if it has expired
local time = redis.call('TIME')
if time[1] * 1000000 + time[2] > tonumber(ARGV[2]) then return 0 end
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1
