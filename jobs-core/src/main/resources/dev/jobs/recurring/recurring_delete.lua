-- Deletes a recurring job with its slots and history, whatever types their keys hold.
--
-- KEYS  1 the recurring job  2 all recurring jobs  3 its slots  4 its history
--       5 all whose schedules Ruby can't read
-- ARGV  1 member of all recurring jobs  2 field that must have  3 this value, or '' for no condition
-- Returns 1 if it was deleted, 0 if there was none or the condition failed
local type = redis.call('TYPE', KEYS[1])['ok']
if ARGV[2] ~= '' and (type ~= 'hash' or redis.call('HGET', KEYS[1], ARGV[2]) ~= ARGV[3]) then return 0 end
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4])
redis.pcall('SREM', KEYS[2], ARGV[1])
redis.pcall('SREM', KEYS[5], ARGV[1])
return type == 'none' and 0 or 1
