-- Forgets callers' keys that lead to batches that are gone.
--
-- KEYS  1 ids by the digest of the caller's key, then the counters of each batch
-- ARGV  for each two: the digest, the id of the batch
-- Returns how many were forgotten
local forgotten = 0
for i = 2, #KEYS do
  local digest, id = ARGV[2 * i - 3], ARGV[2 * i - 2]
  if redis.call('EXISTS', KEYS[i]) == 0 and redis.call('HGET', KEYS[1], digest) == id then
    forgotten = forgotten + redis.call('HDEL', KEYS[1], digest)
  end
end
return forgotten
