-- Reads the ledger at one moment: how many jobs were claimed, what became of them, and how many are in flight.
--
-- KEYS  1 ledger  2 beats  3… in-flight hashes of all members of beats
-- ARGV  the members of beats, in the same order
-- Returns {claimed, acked, moved, requeued, recovered, poisoned, in flight}, or {} if the members have changed
if redis.call('ZCARD', KEYS[2]) ~= #ARGV then return {} end
for _, name in ipairs(ARGV) do
  if not redis.call('ZSCORE', KEYS[2], name) then return {} end
end
local books = redis.call('HMGET', KEYS[1], 'claimed', 'acked', 'moved', 'requeued', 'recovered', 'poisoned')
for i = 1, 6 do books[i] = tonumber(books[i] or 0) end
local held = 0
for i = 3, #KEYS do
  held = held + redis.call('HLEN', KEYS[i])
  local line = 0
  while redis.call('HEXISTS', KEYS[i], '#' .. line) == 1 do
    held = held - 1
    line = line + 1
  end
end
books[7] = held
return books
