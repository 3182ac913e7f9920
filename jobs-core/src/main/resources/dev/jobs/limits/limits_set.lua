-- Sets how many permits a limit has, or its rate, for all workers from now on, or forgets both. If more jobs may run
-- than before, the leader lets parked ones go on; it knows them by the limit, which therefore stays if there are any.
--
-- KEYS  1 limits  2 limits to look at  3 permits of the limit  4 its parked jobs  5 the bell of the queue, if it is the
--       limit of a whole queue
-- ARGV  1 name  2 what to do: 'set' | 'reset', to leave it to the workers again | 'forget', to remove the limit unless
--       it is in use  3 permits for each key, '' to leave them as they are  4 the rate, '' to leave it as it is
--       5 name of the queue, if it is the limit of a whole queue: workers learn with their next heartbeat which queues
--       have such limits, and the bell rings for those that wait for room
-- Returns 1 if anything changed, else 0
redis.call('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
local set, declared = 's:' .. ARGV[1], 'd:' .. ARGV[1]
local forget = ARGV[2] == 'forget'
if forget and redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 then return 0 end
if KEYS[5] then
  local queues = {}
  for queue in string.gmatch(redis.call('HGET', KEYS[1], 'queues') or '', '[^\n]+') do
    if queue ~= ARGV[5] then queues[#queues + 1] = queue end
  end
  if ARGV[2] == 'set' then queues[#queues + 1] = ARGV[5] end
  if #queues == 0 then
    redis.call('HDEL', KEYS[1], 'queues')
  else
    redis.call('HSET', KEYS[1], 'queues', table.concat(queues, '\n'))
  end
  redis.call('PSETEX', KEYS[5], 60000, '1')
end
if forget then return redis.call('HDEL', KEYS[1], set, declared) > 0 and 1 or 0 end
local before, after = redis.call('HGET', KEYS[1], set), nil
if ARGV[2] == 'set' then
  local permits, rate = numbers(before)
  if ARGV[3] ~= '' then permits = ARGV[3] end
  if ARGV[4] ~= '' then rate = ARGV[4] end
  after = rate and (permits or '-') .. ' ' .. rate or tostring(permits)
  redis.call('HSET', KEYS[1], set, after)
else
  if redis.call('EXISTS', KEYS[4]) == 1 then redis.call('HSETNX', KEYS[1], declared, '-') end
  redis.call('HDEL', KEYS[1], set)
end
redis.call('ZADD', KEYS[2], 0, '')
return (before or nil) ~= after and 1 or 0
