-- Notes that jobs run: applies effects to jobs that this process holds, as the outcome 'noted', which ends nothing.
--
-- KEYS  1 in-flight hash of this process, then keys of effects
-- ARGV  1 number of jobs, then the token of each, then effects
-- Returns {per job 1 noted | 0 no longer held}
local jobs, results = tonumber(ARGV[1]), {}
redis.pcall('HDEL', KEYS[1], '') -- removal first: a full Redis then allows the other writes
local failure = each(jobs, 2 + jobs, function(number)
  results[number] = redis.call('HEXISTS', KEYS[1], ARGV[1 + number])
  return results[number] == 1 and 'noted' or nil
end)
if failure then error(failure, 0) end
return results
