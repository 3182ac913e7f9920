-- Creates a batch, unless it exists. Its jobs follow in other calls; until its commit it can't finish.
--
-- KEYS  1 its counters  2 its definition  3 batches  4 open batches  5 ids by the digest of the caller's key  6… its
--       other keys, of which an earlier batch with this id may have left some
-- ARGV  1 its id  2 seconds until it expires unless it is committed; 0 for never  3 batches that must succeed before it
--       opens  4 digest of the caller's key, or ''  5 the id that it is known to lead to, or ''
--       6… fields and values of its definition
-- Returns 1 created | 0 exists and is not committed | 2 exists and is committed | 3 the caller's key leads to another
local counters, definition, digest = KEYS[1], KEYS[2], ARGV[4]
local open = redis.call('HGET', counters, 'open')
if digest ~= '' then
  local id = redis.call('HGET', KEYS[5], digest) or ''
  if id == ARGV[1] and not open or id ~= ARGV[1] and id ~= ARGV[5] then return 3 end
end
if open then return open == '0' and 2 or 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('UNLINK', definition, unpack(KEYS, 6))
redis.call('HSET', definition, unpack(ARGV, 6))
redis.call('ZADD', KEYS[3], now, ARGV[1])
redis.call('ZADD', KEYS[4], now, ARGV[1])
redis.call('HSET', counters, 'total', 0, 'fresh', 0, 'again', 0, 'ok', 0, 'failed', 0, 'dead', 0, 'skipped', 0,
  'lost', 0, 'open', 1, 'waits', ARGV[3], 'children', 0, 'children_open', 0, 'children_bad', 0, 'created', now,
  'changed', now)
if ARGV[2] ~= '0' then
  redis.call('EXPIRE', counters, ARGV[2])
  redis.call('EXPIRE', definition, ARGV[2])
end
if digest ~= '' then redis.call('HSET', KEYS[5], digest, ARGV[1]) end
return 1
