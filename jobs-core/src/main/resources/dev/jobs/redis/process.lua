-- Shows a process to people and user interfaces, and takes its oldest signal. Nothing about safety depends on it.
--
-- KEYS  1 work of the process  2 processes  3 the process  4 its signals
-- ARGV  1 identity  2 seconds that it is shown  3 number of fields of the process
--       then name and value of each field; then thread and entry of each running job
-- Returns the signal, or nothing
local fields = tonumber(ARGV[3]) * 2
redis.call('DEL', KEYS[1])
for i = 4 + fields, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], unpack(ARGV, 4, 3 + fields))
redis.call('EXPIRE', KEYS[3], ARGV[2])
return redis.call('RPOP', KEYS[4])
