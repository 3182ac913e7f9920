-- Marks a deployment in the metrics, unless the same label was marked a moment ago or the minute has a label.
--
-- KEYS  1 lock of the label  2 marks of the day
-- ARGV  1 the minute  2 label  3 seconds to keep the lock  4 seconds to keep the marks
-- Returns 1 if it was marked by this call, else 0
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HDEL', KEYS[2], '') -- removal first: a full Redis then allows the other writes
local marked = redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[4])
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
return marked
