-- Restores jobs from the trash to one queue or set. Each is written there before it leaves the trash. In a queue, a job
-- goes behind the job that was to be taken before it; if that one is gone, it is taken next. In an ordered queue it has
-- its score again, or that of the next job if that is higher.
--
-- KEYS  1 the trash  2 size of the trash in bytes  3 target  4 queues, if the target is a queue, then keys of effects
-- ARGV  1 name of the queue, if it is one  2 number of jobs  3 the place: queue | order | set | dead
--       then four for each job: entry, score, stored bytes, stored bytes of the job that was to be taken before it or
--       ''
--       and effects
-- Returns {per job 1 restored | 0 was not there | -1 refused: the target has the wrong type}
local trash, size, target = KEYS[1], KEYS[2], KEYS[3]
local is_list, is_ordered = ARGV[3] == 'queue', ARGV[3] == 'order'
local fitting = fits(target, is_list and 'list' or 'zset')
local jobs = tonumber(ARGV[2])
local results = {}
redis.pcall('ZREM', trash, '') -- removal first: a full Redis then allows the other writes
local failure = each(jobs, 4 + 4 * jobs, function(number)
  local at = 4 * number
  local entry, score, stored, before = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  results[number] = 0
  if not redis.call('ZSCORE', trash, entry) then return nil end
  results[number] = -1
  if not fitting then return nil end
  if is_list then
    if before == '' or redis.call('LINSERT', target, 'BEFORE', before, stored) < 1 then redis.call('RPUSH', target, stored) end
    redis.pcall('SADD', KEYS[4], ARGV[1])
  elseif is_ordered then
    local head = redis.call('ZRANGE', target, 0, 0, 'WITHSCORES')[2]
    if head and tonumber(head) > tonumber(score) then score = head end
    redis.call('ZADD', target, 'NX', score, stored)
    redis.pcall('SADD', KEYS[4], ARGV[1])
  else
    redis.call('ZADD', target, 'NX', score, stored)
  end
  redis.call('ZREM', trash, entry)
  redis.pcall('DECRBY', size, #entry)
  results[number] = 1
  return is_ordered and 'queue' or ARGV[3]
end)
if failure then error(failure, 0) end
return results
