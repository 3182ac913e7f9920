-- Deletes a recurring job and all that belongs to it, of whatever type it is.
--
-- KEYS  1 the recurring job  2 all recurring jobs  3 its slots  4 its history
-- ARGV  1 member of all recurring jobs  2 a field that has to have  3 this value, or '' for any
-- Returns 1 if there was one, 0 if not
local type = redis.call('TYPE', KEYS[1])['ok']
if ARGV[2] ~= '' and (type ~= 'hash' or redis.call('HGET', KEYS[1], ARGV[2]) ~= ARGV[3]) then return 0 end
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4])
redis.pcall('SREM', KEYS[2], ARGV[1])
return type == 'none' and 0 or 1
