-- Reads the state of a limit, and of the first of its keys that have parked jobs.
--
-- KEYS  1 permits  2 parked jobs  3 limits  4 starts by rates
-- ARGV  1 limit  2 keys at most  3 the key after which to begin, or at which to begin; none for the first one
--       4 '1' to begin at that key
-- Returns {permits held, parked jobs, what people set or '', what workers declare or '', 1 if these are all keys,
--          {key, its permits held, its parked jobs, the time of the first one, microseconds until one of them may
--           start by the rate, 0 if it may now; … for each key with parked jobs}}
local known = redis.call('HMGET', KEYS[3], 's:' .. ARGV[1], 'd:' .. ARGV[1])
local _, rate = most(KEYS[3], ARGV[1])
local now = rate and micros()
local from, keys, all = '-', {}, 1
if ARGV[3] then from = ARGV[4] == '1' and '[' .. ARGV[3] .. '\n' or '(' .. ARGV[3] .. '\n\255' end
for number = 1, tonumber(ARGV[2]) + 1 do
  local job = redis.call('ZRANGEBYLEX', KEYS[2], from, '+', 'LIMIT', 0, 1)[1]
  if not job then break end
  if number > tonumber(ARGV[2]) then
    all = 0
    break
  end
  local key, time = string.match(job, '^([^\n]*)\n([^\n]*)')
  local next = rate and next_start(rate, redis.call('HGET', KEYS[4], ARGV[1] .. '\n' .. key), now)
  keys[#keys + 1] = key
  keys[#keys + 1] = out(KEYS[1], key)
  keys[#keys + 1] = redis.call('ZLEXCOUNT', KEYS[2], range(key))
  keys[#keys + 1] = time
  keys[#keys + 1] = next and math.max(0, next - now) or 0
  from = '(' .. key .. '\n\255'
end
return {redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[2]), known[1] or '', known[2] or '', all, keys}
