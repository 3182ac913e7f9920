-- A kind of effect: gives back a permit of a concurrent limiter that a job could not give back itself.
--
-- KEYS  of the group: the permits of jobs
-- ARGV  of an entry: index of its key, from 0; the permit
kinds.slot = {
  arguments = 2,
  keys = 1,
  apply = function(first_key, entries)
    for i, at in ipairs(entries) do
      current = i
      redis.pcall('ZREM', KEYS[first_key + tonumber(ARGV[at])], ARGV[at + 1])
    end
  end
}
