-- Notes what a start of an application changed, for people. May be repeated.
--
-- KEYS  1 the notes
-- ARGV  1 note  2 most notes  3 seconds to keep them
-- Returns 1 if it was noted, 0 if the key is of the wrong type
local type = redis.call('TYPE', KEYS[1])['ok']
if type ~= 'list' and type ~= 'none' then return 0 end
if redis.call('LINDEX', KEYS[1], 0) == ARGV[1] then redis.call('LPOP', KEYS[1]) end -- removal first: a full Redis then
redis.call('LTRIM', KEYS[1], 0, ARGV[2] - 2) -- allows the other writes
redis.call('LPUSH', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
