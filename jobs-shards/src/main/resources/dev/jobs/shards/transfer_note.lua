-- Notes how far a pass of a transfer through all places is, so that the next run goes on there. Whichever process notes
-- last, its pass has seen all that is before.
--
-- KEYS  1 the transfer
-- ARGV  1 id of the transfer  2 the pass; empty if the next run begins a new one
-- Returns 1; 0 if the transfer is over
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'pass') -- a removal, and first, so that a full Redis allows the rest
if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'pass', ARGV[2]) end
return 1
