-- Takes notes of Ruby's workers on jobs of batches from their list, and applies their effects in the same step: so each
-- note is applied once. Stops at a note that another process has taken.
--
-- KEYS  1 the notes, a list, then keys of effects
-- ARGV  1 number of notes, then two for each, the oldest first: its bytes; the outcome of its job, or '' to ignore it
--       then effects
-- Returns the number of notes that were taken
local notes, count = tonumber(ARGV[1]), 0
local failure = each(notes, 2 + 2 * notes, function(number)
  if count < number - 1 or redis.call('LINDEX', KEYS[1], -1) ~= ARGV[2 * number] then return nil end
  redis.call('RPOP', KEYS[1])
  count = number
  local outcome = ARGV[2 * number + 1]
  return outcome ~= '' and outcome or nil
end)
if failure then error(failure, 0) end
return count
