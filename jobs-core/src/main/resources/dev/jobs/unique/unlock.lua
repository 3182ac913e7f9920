-- Releases the lock of a unique job if that job holds it.
--
-- KEYS  1 the lock
-- ARGV  1 jid
-- Returns 1 if it was released, else 0
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('UNLINK', KEYS[1])
