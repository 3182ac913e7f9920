-- Marks jobs of a batch with what became of them elsewhere, by applying effects. A job is marked only if its state is
-- still the expected one.
--
-- KEYS  1 states of the jobs  2 counters of the batch, then keys of effects
-- ARGV  1 number of jobs, then three for each: position, or the field of a callback; the expected states, as
--       characters, or '' for any; the outcome; then effects
-- Returns {per job 1 marked | 0 its state is another one}
local jobs, results = tonumber(ARGV[1]), {}
redis.pcall('HDEL', KEYS[2], '') -- removal first: a full Redis then allows the other writes
local failure = each(jobs, 2 + 3 * jobs, function(number)
  local at = 3 * number - 1
  local state
  if tonumber(ARGV[at]) then state = redis.call('GETRANGE', KEYS[1], ARGV[at], ARGV[at])
  else state = redis.call('HGET', KEYS[2], ARGV[at]) or '' end
  local expected = ARGV[at + 1]
  if expected ~= '' and (state == '' or not string.find(expected, state, 1, true)) then
    results[number] = 0
    return nil
  end
  results[number] = 1
  return ARGV[at + 2]
end)
if failure then error(failure, 0) end
return results
