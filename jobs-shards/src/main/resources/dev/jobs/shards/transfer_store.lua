-- Stores a slice of a transfer in the target, once, however often it is sent; or makes sure that it
-- never will be. The first write is deliberately not a removal: a full Redis must refuse new jobs.
--
-- Jobs of a list come newest first and go to the front of the queue: they are older than what is there.
--
-- KEYS  1 transfers that came here  2 queues  3 list of the queue  4 schedule  5 retry  6 dead  7, 8 the
--       sorted set of an ordered queue and its tags  then keys of effects
-- ARGV  1 id of the transfer  2 number of the slice  3 its mark  4 store | void  5 name of the queue  6 number of jobs
--       then three for each job: place, which is queue, order, schedule, retry or dead; score, or in a queue ordered by
--       turns its rank as in shared_order; payload
--       and effects
-- What is kept of a transfer: NUMBER:MARK of its last slice, a blank, number of jobs stored so far, ' void' if that
-- slice never came.
-- Returns stored: now or before | void: it is not stored, and never will be | unknown: there is no such transfer here
--         | late: another slice of that number, or a later one, came before
local PLACES = {
  queue = {KEYS[3], 'list'}, schedule = {KEYS[4], 'zset'}, retry = {KEYS[5], 'zset'}, dead = {KEYS[6], 'zset'},
  order = {KEYS[7], 'zset'}
}
local mark, number, voids, jobs = ARGV[2] .. ':' .. ARGV[3], tonumber(ARGV[2]), ARGV[4] == 'void', tonumber(ARGV[6])
local before = redis.call('HGET', KEYS[1], ARGV[1])
if not before then return 'unknown' end
local last, count, state = string.match(before, '^(%S+) (%d+)(.*)$')
if last == mark then return state == ' void' and 'void' or 'stored' end
if tonumber(string.match(last, '^%d+')) >= number then return 'late' end
if voids then
  redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis allows this
  redis.call('HSET', KEYS[1], ARGV[1], mark .. ' ' .. count .. ' void')
  return 'void'
end
for job = 1, jobs do
  local place = PLACES[ARGV[4 + 3 * job]]
  if not fits(place[1], place[2]) then
    return redis.error_reply('WRONGTYPE a key of the queue or of a set holds another type than it should')
  end
end
redis.call('HSET', KEYS[1], ARGV[1], mark .. ' ' .. string.format('%.0f', count + jobs))
local waits = false
local failure = each(jobs, 7 + 3 * jobs, function(job)
  local at = 4 + 3 * job
  local name, score, payload = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local key = PLACES[name][1]
  if name == 'queue' then
    redis.call('RPUSH', key, payload)
  elseif name == 'order' and string.find(score, '^F') then
    put_in_order(key, KEYS[8], {score, payload})
  else
    redis.call('ZADD', key, score, payload)
  end
  if name == 'queue' or name == 'order' then
    waits = true
    return 'queue'
  end
  return name == 'dead' and 'dead' or 'set'
end)
if waits then redis.pcall('SADD', KEYS[2], ARGV[5]) end
if failure then -- it is sent again: twice is better than never
  redis.pcall('HSET', KEYS[1], ARGV[1], before)
  error(failure, 0)
end
return 'stored'
