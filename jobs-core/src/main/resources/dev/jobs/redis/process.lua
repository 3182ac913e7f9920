-- Shows a process to people and user interfaces, and takes its oldest signal. Nothing about safety depends on it.
--
-- KEYS  1 work of the process  2 processes  3 the process  4 its signals
-- ARGV  1 identity  2 seconds that it is shown  3 '1' to show all anew, '0' to show what changed since the last time
--       4 number of fields of the process  5 number of threads that run no job any more
--       then name and value of each field; these threads; then thread and entry of each job that began
-- Returns {the signal or '', jobs that are shown now, -1 if the process has to be shown anew}
redis.pcall('SREM', KEYS[2], '') -- a removal first: a full Redis then lets the rest through
if ARGV[3] == '1' then redis.call('DEL', KEYS[1]) end
local fields, ended = tonumber(ARGV[4]) * 2, tonumber(ARGV[5])
for i = 6 + fields, 5 + fields + ended do redis.call('HDEL', KEYS[1], ARGV[i]) end
for i = 6 + fields + ended, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], unpack(ARGV, 6, 5 + fields))
redis.call('EXPIRE', KEYS[3], ARGV[2])
local shown = redis.call('HEXISTS', KEYS[3], 'info') == 1 and redis.call('HLEN', KEYS[1]) or -1
return {redis.call('RPOP', KEYS[4]) or '', shown}
