-- Sets the size of a limiter at run time, which wins over that in the code; or lets that of the code apply again.
--
-- KEYS  1 hash of the limiter
-- ARGV  1 size; '' for that of the code
-- Returns nothing of interest
local removed = redis.call('HDEL', KEYS[1], 'wins')
if ARGV[1] ~= '' then
  redis.call('HSET', KEYS[1], 'wins', ARGV[1])
  redis.call('PERSIST', KEYS[1])
elseif removed == 1 then
  redis.call('PEXPIRE', KEYS[1], 2678400000) -- 31 days: nothing that is kept matters for longer
end
return 1
