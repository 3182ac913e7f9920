-- Reserves indexes for jobs that a job of the batch adds.
--
-- KEYS  1 counters of the batch
-- ARGV  1 number of indexes
-- Returns how many are reserved by now, these included; 0 if there is no such batch
if redis.call('HEXISTS', KEYS[1], 'total') == 0 then return 0 end
return redis.call('HINCRBY', KEYS[1], 'grown', ARGV[1])
