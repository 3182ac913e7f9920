-- Reads what is due in the retry and the scheduled set, by this server's clock. A key of the wrong type is told of beside what the other one
-- has.
--
-- KEYS  1 retry  2 schedule
-- ARGV  1 members of each at most
-- Returns {seconds, microseconds, {member, score, … due retries}, {member, score, … due scheduled jobs},
--          score of the first that is not due yet or '', {indexes of keys that are no sorted sets}}
local time = redis.call('TIME')
local now = string.format('%.6f', time[1] + time[2] / 1000000)
local due, upcoming, broken = {}, nil, {}
for i = 1, 2 do
  due[i] = redis.pcall('ZRANGEBYSCORE', KEYS[i], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
  if due[i].err then
    if not string.find(due[i].err, 'WRONGTYPE', 1, true) then return due[i] end
    broken[#broken + 1] = i
    due[i] = {}
  else
    local later = redis.call('ZRANGEBYSCORE', KEYS[i], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if later and (not upcoming or tonumber(later) < tonumber(upcoming)) then upcoming = later end
  end
end
return {time[1], time[2], due[1], due[2], upcoming or '', broken}
