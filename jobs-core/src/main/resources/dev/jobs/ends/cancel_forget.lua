-- Forgets cancellations of jobs that are nowhere any more, with their marks; but not those that were made anew. How far
-- an iteration came stays; a hash that had only the mark goes.
--
-- KEYS  1 cancelled  then for each job the hash of its iteration
-- ARGV  1 time of the last cancellation that may be forgotten  then the jid of each job
-- Returns how many were forgotten
local up_to, forgotten = tonumber(ARGV[1]), 0
for job = 2, #KEYS do
  local at = redis.call('ZSCORE', KEYS[1], ARGV[job])
  if at and tonumber(at) <= up_to then
    forgotten = forgotten + redis.call('ZREM', KEYS[1], ARGV[job])
    if redis.pcall('HDEL', KEYS[job], 'cancelled') == 1 and redis.pcall('HEXISTS', KEYS[job], 'ex') == 0 then
      redis.pcall('UNLINK', KEYS[job])
    end
  end
end
return forgotten
