-- Stores a signal for a process, which takes one with each heartbeat. The same signal is stored at most once.
--
-- KEYS  1 signals of the process  2 processes
-- ARGV  1 identity  2 the signal  3 seconds to keep it
-- Returns 1 if it was stored, 0 if there is no such process
if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('LREM', KEYS[1], 0, ARGV[2]) -- removal first: a full Redis then allows the other writes
redis.call('LPUSH', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
