-- Moves jobs from a queue or a set to the trash, from where they can be restored for some time. Each is written there
-- before it leaves its place; a job larger than the bound of the whole trash is removed for good. Then trims the trash,
-- oldest first, by a bounded number.
--
-- KEYS  1 their list or sorted set  2 the trash  3 size of the trash in bytes, then keys of effects
-- ARGV  1 entries at most  2 bytes at most  3 seconds kept
--       4 in a queue: 1 to search from the newest job, -1 from the oldest
--       5 number of jobs
--       then two for each job: stored bytes, head of its entry
--       and effects
-- An entry is the job's score (in a queue: its index), a space, its head, its stored bytes.
-- Returns {number of jobs of the same batch that were trimmed from the trash,
--          per job 2 moved | 1 removed for good | 0 was not there | -1 refused: the trash has the wrong type}
local source, trash, size = KEYS[1], KEYS[2], KEYS[3]
local is_list = redis.call('TYPE', source)['ok'] == 'list'
local most, room, kept = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local results, lost = {0}, 0
local jobs = tonumber(ARGV[5])
local batch = string.match(ARGV[7] or '', '^%S+')
redis.pcall('ZREM', trash, '') -- removal first: a full Redis then allows the other writes
if not fits(trash, 'zset') or not tonumber(redis.pcall('GET', size) or '0') then
  for number = 1, jobs do results[number + 1] = -1 end
  return results
end
local failure = each(jobs, 6 + 2 * jobs, function(number)
  local at = 4 + 2 * number
  local stored, there = ARGV[at], nil
  if is_list then there = redis.call('LPOS', source, stored, 'RANK', ARGV[4]) else there = redis.call('ZSCORE', source, stored) end
  results[number + 1] = 0
  if not there then return nil end
  local entry = there .. ' ' .. ARGV[at + 1] .. stored
  local keep = #entry <= room
  if keep then
    -- jobs of one call get different times, which keeps their order
    redis.call('ZADD', trash, string.format('%.6f', now + (number - 1) / 1000000), entry)
    redis.call('INCRBY', size, #entry)
  end
  if is_list then redis.call('LREM', source, ARGV[4], stored) else redis.call('ZREM', source, stored) end
  results[number + 1] = keep and 2 or 1
  return 'deleted'
end)
if failure then error(failure, 0) end
local used, count = tonumber(redis.call('GET', size) or '0'), redis.call('ZCARD', trash)
for _ = 1, 2 * jobs + 104 do
  local oldest = redis.call('ZRANGE', trash, 0, 0, 'WITHSCORES')
  if not oldest[1] then
    redis.call('DEL', size)
    break
  end
  if count <= most and used <= room and tonumber(oldest[2]) > now - kept then break end
  redis.call('ZREM', trash, oldest[1])
  if string.match(oldest[1], '^%S+ (%S+)') == batch then lost = lost + 1 end
  used = redis.call('DECRBY', size, #oldest[1])
  count = count - 1
end
redis.call('EXPIRE', trash, kept)
redis.call('EXPIRE', size, kept)
results[1] = lost
return results
