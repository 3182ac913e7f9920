-- Gives back a permit of a concurrent limiter, and notes for how long permits are held, from which the limiter
-- estimates when the next one is free. A repeated call does nothing.
--
-- KEYS  1 hash of the limiter  2 permits of jobs  3 other permits
-- ARGV  1 the permit  2 microseconds for which it was held
-- Returns 1 if it was there, else 0
local there = redis.call('ZREM', KEYS[2], ARGV[1]) + redis.call('ZREM', KEYS[3], ARGV[1])
if there > 0 and redis.call('EXISTS', KEYS[1]) == 1 then
  local held, mean = tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[1], 'n') or nil)
  redis.call('HSET', KEYS[1], 'n', string.format('%.0f', mean and mean + (held - mean) / 8 or held))
end
return there
