-- Counts that an application stores the recurring jobs it declares. The mark disappears with the data, and its number
-- decreases when an older state of the data is restored: processes then know that they have to store their declarations
-- again.
--
-- KEYS  1 the mark
-- ARGV  1 name of the epoch to begin if there is none  2 '1' to begin it in any case
-- Returns {epoch, number of declarations in it}
local type = redis.call('TYPE', KEYS[1])['ok']
if ARGV[2] == '1' or type ~= 'hash' then
  redis.call('DEL', KEYS[1]) -- removal first: a full Redis then allows the other writes
else
  redis.call('HDEL', KEYS[1], '')
end
redis.call('HSETNX', KEYS[1], 'epoch', ARGV[1])
local number = redis.call('HINCRBY', KEYS[1], 'number', 1)
return {redis.call('HGET', KEYS[1], 'epoch'), number}
