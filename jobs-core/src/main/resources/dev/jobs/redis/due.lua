-- Reads what is due in the retry and the scheduled set, by this server's clock. A key of the wrong type is an error, but not before all is
-- moved that the other one has.
--
-- KEYS  1 retry  2 schedule
-- ARGV  1 members of each at most
-- Returns {seconds, microseconds, {member, score, … due retries}, {member, score, … due scheduled jobs},
--          score of the first that is not due yet or ''}
local time = redis.call('TIME')
local now = string.format('%.6f', time[1] + time[2] / 1000000)
local due, upcoming, failure = {}, nil, nil
for i = 1, 2 do
  due[i] = redis.pcall('ZRANGEBYSCORE', KEYS[i], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
  if due[i].err then
    failure = due[i]
    due[i] = {}
  else
    local later = redis.call('ZRANGEBYSCORE', KEYS[i], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if later and (not upcoming or tonumber(later) < tonumber(upcoming)) then upcoming = later end
  end
end
if failure and #due[1] + #due[2] == 0 then return failure end
return {time[1], time[2], due[1], due[2], upcoming or ''}
