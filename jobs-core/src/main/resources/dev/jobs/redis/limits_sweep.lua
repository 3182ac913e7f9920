-- Looks through the keys of a limit that have parked jobs, and lets the leader look at those with free permits.
-- There are none, unless the limit was raised or something removed jobs or permits. First drops permits of processes
-- that are no longer known: these hold no jobs. Usually each is given back with its job, but not if somebody deletes
-- the in-flight hash.
--
-- KEYS  1 permits  2 parked jobs  3 limits  4 limits to look at  5 beats
-- ARGV  1 limit  2 '1' to begin, '0' to go on  3 the last key of the call before  4 keys at most
-- Returns {1 if there are no more keys, the last key, number of keys with free permits}
redis.call('ZREM', KEYS[4], ARGV[1]) -- removal first, even of nothing: a full Redis then allows the other writes
if ARGV[2] == '1' then
  local permits = redis.pcall('ZRANGE', KEYS[1], 0, 999)
  for _, permit in ipairs(permits.err and {} or permits) do
    local process = string.match(permit, '\n([^\n]*)\n[^\n]*$')
    if process and not redis.call('ZSCORE', KEYS[5], process) then redis.call('ZREM', KEYS[1], permit) end
  end
end
local many = most(KEYS[3], ARGV[1])
local from, last, free = ARGV[2] == '1' and '-' or '(' .. ARGV[3] .. '\n\255', ARGV[3], 0
for _ = 1, tonumber(ARGV[4]) do
  local found = redis.pcall('ZRANGEBYLEX', KEYS[2], from, '+', 'LIMIT', 0, 1)
  if found.err or not found[1] then return {1, last, free} end
  last = string.match(found[1], '^[^\n]*')
  if not many or out(KEYS[1], last) < many then
    redis.call('ZADD', KEYS[4], 0, ARGV[1] .. '\n' .. last)
    free = free + 1
  end
  from = '(' .. last .. '\n\255'
end
return {0, last, free}
