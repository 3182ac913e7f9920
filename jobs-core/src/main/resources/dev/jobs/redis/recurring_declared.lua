-- Notes that an application stores the recurring jobs that it declares. The note goes when the data goes, and its number falls back when
-- an older state of the data comes back: that is how processes find out that they have to store theirs again.
--
-- KEYS  1 the note
-- ARGV  1 name of the epoch that begins if there is none  2 '1' to begin it in any case
-- Returns {epoch, number of times that something was declared in it}
local type = redis.call('TYPE', KEYS[1])['ok']
if ARGV[2] == '1' or type ~= 'hash' then
  redis.call('DEL', KEYS[1]) -- a removal first: a full Redis then lets the rest through
else
  redis.call('HDEL', KEYS[1], '')
end
redis.call('HSETNX', KEYS[1], 'epoch', ARGV[1])
local number = redis.call('HINCRBY', KEYS[1], 'number', 1)
return {redis.call('HGET', KEYS[1], 'epoch'), number}
