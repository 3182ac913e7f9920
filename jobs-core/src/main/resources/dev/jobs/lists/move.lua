-- Takes jobs out of a queue or a set by their exact bytes and puts each into its new place; does nothing for jobs that
-- are gone. A job is written to its new place before it leaves the old one, so an error in between loses nothing.
--
-- KEYS  1 their list or sorted set  2 queues  3… targets, then keys of effects
-- ARGV  1 dead set: entries at most  2 dead set: seconds kept  3 number of jobs
--       then six for each job: stored bytes, what to do, index of its target, name of the queue, score, bytes to store
--         queue  to the back of a queue       set    into a sorted set under the score; 'now+N' = N seconds from now
--         order  into the sorted set of an ordered queue, whose tags are the next key; the score is its rank
--         dead   into the dead set, now       refused, deleted   nowhere
--       and effects
-- Returns {per job 1 moved | 0 was not there | -1 refused: the target has the wrong type}
local source = KEYS[1]
local is_list = redis.call('TYPE', source)['ok'] == 'list'
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local jobs = tonumber(ARGV[3])
local results, fitting, known = {}, {}, {}

-- Jobs without effects that go from a set to queues move together, at the end: commands for each job take longer.
local together = not is_list and #ARGV == 3 + 6 * jobs
local scores, taken, queued = {}, {}, {}
if together and jobs > 0 then
  local all = {}
  for number = 1, jobs do all[number] = ARGV[6 * number - 2] end
  scores = redis.call('ZMSCORE', source, unpack(all))
end
redis.pcall('SREM', KEYS[2], '') -- removal first: a full Redis then allows the other writes
local failure = each(jobs, 4 + 6 * jobs, function(number)
  local at = 6 * number - 2
  local stored, what, name, score, payload = ARGV[at], ARGV[at + 1], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
  local target = what ~= 'refused' and what ~= 'deleted' and KEYS[2 + tonumber(ARGV[at + 2])]
  results[number] = -1
  if target and fitting[target] == nil then fitting[target] = fits(target, what == 'queue' and 'list' or 'zset') end
  local tags = what == 'order' and KEYS[3 + tonumber(ARGV[at + 2])]
  if target and not (fitting[target] and (not tags or fits(tags, 'zset'))) then return nil end
  local there
  if is_list then
    there = redis.call('LPOS', source, stored, 'RANK', -1)
  elseif together then
    there = scores[number] and not taken[stored]
    taken[stored] = true
  else
    there = redis.call('ZSCORE', source, stored)
  end
  results[number] = there and 1 or 0
  if not there then return nil end
  if what == 'queue' and together then
    local jobs_of = queued[target] or {name = name, stored = {}, payloads = {}}
    table.insert(jobs_of.stored, stored)
    table.insert(jobs_of.payloads, payload)
    queued[target] = jobs_of
    return what
  elseif what == 'queue' then
    redis.call('LPUSH', target, payload)
  elseif what == 'order' then
    put_in_order(target, tags, {score, payload})
    what = 'queue'
  elseif what == 'set' then
    local later = string.match(score, '^now%+(.+)$')
    redis.call('ZADD', target, later and string.format('%.6f', now + tonumber(later)) or score, payload)
  elseif what == 'dead' then
    bury(target, payload, time, ARGV[1], ARGV[2])
  end
  if what == 'queue' and not known[name] then
    redis.pcall('SADD', KEYS[2], name)
    known[name] = true
  end
  if is_list then
    redis.call('LREM', source, -1, stored)
  elseif target ~= source or payload ~= stored then
    redis.call('ZREM', source, stored)
  end
  return what
end)
for target, jobs_of in pairs(queued) do
  redis.call('LPUSH', target, unpack(jobs_of.payloads))
  redis.pcall('SADD', KEYS[2], jobs_of.name)
  redis.call('ZREM', source, unpack(jobs_of.stored))
end
if failure then error(failure, 0) end
return results
