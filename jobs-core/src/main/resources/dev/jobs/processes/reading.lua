-- Lets one process read for all what all would read alike: tells the last reading and who has to make the next one, or
-- stores it.
--
-- KEYS  1 hash: reading; at: milliseconds when it was stored; turn: milliseconds until which a process makes the next
-- ARGV  1 milliseconds for which a reading is fresh  2 milliseconds that a process may take to make one
--       3 milliseconds to keep it  4 the reading, to store it
-- Returns {the last reading or '', when it was stored or 0, its age in milliseconds, 1 if the caller has to make the
--          next one, else 0}
local key, fresh, takes = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('HDEL', key, '') -- removal first: a full Redis then allows the other writes
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[4] then
  redis.call('HDEL', key, 'turn')
  redis.call('HSET', key, 'reading', ARGV[4], 'at', now)
  redis.call('PEXPIRE', key, ARGV[3])
  return {'', now, 0, 0}
end
local known = redis.call('HMGET', key, 'reading', 'at', 'turn')
local at, turn, mine = tonumber(known[2] or nil), tonumber(known[3] or nil), 0
local age = at and now - at or 0
-- What lies ahead dates from before the clock was set back.
if (not at or age < 0 or age >= fresh) and (not turn or turn <= now or turn > now + takes) then
  redis.call('HSET', key, 'turn', now + takes)
  redis.call('PEXPIRE', key, ARGV[3])
  mine = 1
end
return {known[1] or '', at or 0, math.max(0, age), mine}
