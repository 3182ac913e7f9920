-- Reads the server's clock.
--
-- KEYS  none
-- ARGV  none
-- Returns {seconds, microseconds}
return redis.call('TIME')
