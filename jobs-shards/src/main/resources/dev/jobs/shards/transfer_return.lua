-- Puts the jobs of a slice back to where they were. The target must not store the slice any more.
--
-- Jobs of a list go back to its newest end. In an ordered queue a job has its score again, or that of the next job if
-- that is higher.
--
-- KEYS  1 the transfer  2 its slice  3 queues  4 list of the queue  5 schedule  6 retry  7 dead
--       8 the sorted set of an ordered queue  then keys of effects
-- ARGV  1 id of the transfer  2 the slice as NUMBER:MARK  3 name of the queue  4 number of jobs in the slice
--       and effects, where the last entry of the slice is job 1
-- Returns 1, or 0 if that slice is gone
local PLACES = {
  queue = {KEYS[4], 'list'}, schedule = {KEYS[5], 'zset'}, retry = {KEYS[6], 'zset'}, dead = {KEYS[7], 'zset'},
  order = {KEYS[8], 'zset'}
}
local known = redis.call('HMGET', KEYS[1], 'id', 'slice')
if known[1] ~= ARGV[1] or known[2] ~= ARGV[2] then return 0 end
local entries = redis.call('LRANGE', KEYS[2], 0, -1)
local jobs = {}
for number = 1, #entries do
  local name, score, payload = string.match(entries[#entries + 1 - number], '^(%S+) ([^\n]*)\n(.*)$')
  local place = PLACES[name]
  if not fits(place[1], place[2]) then
    return redis.error_reply('WRONGTYPE a key of the queue or of a set holds another type than it should')
  end
  jobs[number] = {name = name, key = place[1], score = score, payload = payload}
end
redis.pcall('SREM', KEYS[3], '') -- removal first: a full Redis then allows the other writes
local failure = each(#jobs, 5, function(number)
  local job = jobs[number]
  if job.name == 'queue' then
    redis.call('LPUSH', job.key, job.payload)
  else
    local head = job.name == 'order' and redis.call('ZRANGE', job.key, 0, 0, 'WITHSCORES')[2]
    redis.call('ZADD', job.key, 'NX', head and tonumber(head) > tonumber(job.score) and head or job.score, job.payload)
  end
  if job.name == 'queue' or job.name == 'order' then return 'queue' end
  return job.name == 'dead' and 'dead' or 'set'
end)
if failure then error(failure, 0) end
redis.call('HDEL', KEYS[1], 'slice')
redis.call('DEL', KEYS[2])
redis.pcall('SADD', KEYS[3], ARGV[3])
return 1
