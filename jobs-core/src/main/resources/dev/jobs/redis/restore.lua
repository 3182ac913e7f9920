-- Takes jobs back from the trash to one queue or set, each written there before it leaves the trash. In a queue a job goes behind the one
-- that was to be taken before it, or, where that one is gone, is the next to be taken.
--
-- KEYS  1 the trash  2 bytes in the trash  3 where they go  4 queues, if that is a queue
-- ARGV  1 name of the queue, if it is one
--       then four for each job: entry, score, stored bytes, stored bytes of the job that was to be taken before it or ''
-- Returns {per job 1 moved | 0 was not there | -1 refused: the place it goes to is of the wrong type}
local trash, size, target = KEYS[1], KEYS[2], KEYS[3]
local is_list = KEYS[4] ~= nil
local found = redis.call('TYPE', target)['ok']
local fits = found == 'none' or found == (is_list and 'list' or 'zset')
local results = {}
redis.pcall('ZREM', trash, '') -- a removal first: a full Redis then lets the rest through
for i = 2, #ARGV, 4 do
  local entry, score, stored, before = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local result = 0
  if redis.call('ZSCORE', trash, entry) then
    result = fits and 1 or -1
    if fits then
      if is_list then
        if before == '' or redis.call('LINSERT', target, 'BEFORE', before, stored) < 1 then redis.call('RPUSH', target, stored) end
        redis.pcall('SADD', KEYS[4], ARGV[1])
      else
        redis.call('ZADD', target, 'NX', score, stored)
      end
      redis.call('ZREM', trash, entry)
      redis.pcall('DECRBY', size, #entry)
    end
  end
  results[#results + 1] = result
end
return results
