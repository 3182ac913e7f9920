-- Marks a deployment in the metrics, unless the same one was marked a moment ago or another one has the minute.
--
-- KEYS  1 lock of the label  2 marks of the day
-- ARGV  1 the minute  2 label  3 seconds that the lock is kept  4 seconds that the marks are kept
-- Returns 1 if it is marked now, 0 if not
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HDEL', KEYS[2], '') -- a removal first: a full Redis then lets the rest through
local marked = redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[4])
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
return marked
