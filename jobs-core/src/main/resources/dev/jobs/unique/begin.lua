-- Begins a unique job whose lock ends when it starts, or that may have been replaced. From then on it can't be
-- replaced. A job that the process doesn't hold any more waits again, so nothing changes for it.
--
-- KEYS  1 the lock  2 its twin, as for check_replace  3 in-flight hash of this process
-- ARGV  1 jid  2 '1' if the lock ends now  3 token of the job
-- Returns 1 if the job may run or the process doesn't hold it, 0 if it was replaced
if redis.call('HEXISTS', KEYS[2], '-' .. ARGV[1]) == 1 then return 0 end
if redis.call('HEXISTS', KEYS[3], ARGV[3]) == 0 then return 1 end
if redis.call('HGET', KEYS[2], 'jid') == ARGV[1] then redis.call('HDEL', KEYS[2], 'jid', 'job', 'at') end
if ARGV[2] == '1' and redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('UNLINK', KEYS[1]) end
return 1
