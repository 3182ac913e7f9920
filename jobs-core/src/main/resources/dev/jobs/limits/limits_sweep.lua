-- Looks through the keys of a limit that have parked jobs, and lets the leader look at those with free permits, as
-- soon as the next job may start by the limit's rate. Without a rate there are none, unless the limit was raised or
-- something removed jobs or permits. First drops permits of processes that are no longer known: these hold no jobs.
-- Usually each is given back with its job, but not if somebody deletes the in-flight hash.
--
-- Unless somebody asks for it, a key stays as it is at which the leader looks within some seconds anyway: a job that it
-- let go on may be about to take its permit, and another one would go to the front of the queue, before that.
--
-- KEYS  1 permits  2 parked jobs  3 limits  4 limits to look at  5 beats  6 starts by rates  7 the bell of the queue,
--       if it is the limit of a whole queue: it rings if permits were dropped
-- ARGV  1 limit  2 '1' to begin, '0' to go on  3 the last key of the call before  4 keys at most  5 '1' if somebody asks
-- Returns {1 if there are no more keys, the last key, number of keys with free permits}
redis.call('ZREM', KEYS[4], ARGV[1]) -- removal first, even of nothing: a full Redis then allows the other writes
if ARGV[2] == '1' then
  local permits, dropped = redis.pcall('ZRANGE', KEYS[1], 0, 999), 0
  for _, permit in ipairs(permits.err and {} or permits) do
    local process = string.match(permit, '\n([^\n]*)\n[^\n]*$')
    if process and not redis.call('ZSCORE', KEYS[5], process) then
      dropped = dropped + redis.call('ZREM', KEYS[1], permit)
    end
  end
  if KEYS[7] and dropped > 0 then redis.call('PSETEX', KEYS[7], BELL, '1') end
end
local many, rate = most(KEYS[3], ARGV[1])
local now = micros()
local from, last, free = ARGV[2] == '1' and '-' or '(' .. ARGV[3] .. '\n\255', ARGV[3], 0
for _ = 1, tonumber(ARGV[4]) do
  local found = redis.pcall('ZRANGEBYLEX', KEYS[2], from, '+', 'LIMIT', 0, 1)
  if found.err or not found[1] then return {1, last, free} end
  last = string.match(found[1], '^[^\n]*')
  if not many or out(KEYS[1], last) < many then
    local id = ARGV[1] .. '\n' .. last
    local known = ARGV[5] ~= '1' and redis.call('ZSCORE', KEYS[4], id)
    if not known or tonumber(known) > now / 1000000 + RECHECK then
      local next = rate and next_start(rate, redis.pcall('HGET', KEYS[6], id), now)
      redis.call('ZADD', KEYS[4], 'LT', next and next > now and seconds(next) or 0, id)
    end
    free = free + 1
  end
  from = '(' .. last .. '\n\255'
end
return {0, last, free}
