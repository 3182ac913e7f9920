-- Takes jobs out of a queue or a set by their exact bytes and puts each where it belongs, or does nothing for those that are gone. A job is
-- written to its new place before it leaves the old one, so that an error in between loses nothing.
--
-- KEYS  1 where they are: a list or a sorted set  2 queues  3… where they go
-- ARGV  1 dead set: entries at most  2 dead set: seconds kept
--       then six for each job: stored bytes, what, index of where it goes, name of the queue, score, bytes to store
--         queue  to the back of a queue       set    into a sorted set under the score; 'now+N' = N seconds from now
--         dead   into the dead set, now       drop   nowhere
-- Returns {per job 1 moved | 0 was not there | -1 refused: the place it goes to is of the wrong type}
local source = KEYS[1]
local is_list = redis.call('TYPE', source)['ok'] == 'list'
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local results = {}
redis.pcall('SREM', KEYS[2], '') -- a removal first: a full Redis then lets the rest through
for i = 3, #ARGV, 6 do
  local stored, what, name, score, payload = ARGV[i], ARGV[i + 1], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
  local target = what ~= 'drop' and KEYS[2 + tonumber(ARGV[i + 2])]
  local found = target and redis.call('TYPE', target)['ok'] or 'none'
  local result = -1
  if found == 'none' or found == (what == 'queue' and 'list' or 'zset') then
    local there
    if is_list then there = redis.call('LPOS', source, stored, 'RANK', -1) else there = redis.call('ZSCORE', source, stored) end
    result = there and 1 or 0
    if there then
      if what == 'queue' then
        redis.call('LPUSH', target, payload)
        redis.pcall('SADD', KEYS[2], name)
      elseif what == 'set' then
        local later = string.match(score, '^now%+(.+)$')
        redis.call('ZADD', target, later and string.format('%.6f', now + tonumber(later)) or score, payload)
      elseif what == 'dead' then
        redis.call('ZADD', target, string.format('%.6f', now), payload)
        redis.call('ZREMRANGEBYSCORE', target, '-inf', time[1] - tonumber(ARGV[2]))
        redis.call('ZREMRANGEBYRANK', target, 0, -tonumber(ARGV[1]))
      end
      if is_list then
        redis.call('LREM', source, -1, stored)
      elseif target ~= source or payload ~= stored then
        redis.call('ZREM', source, stored)
      end
    end
  end
  results[#results + 1] = result
end
return results
