-- A kind of effect: forgets that a job was cancelled, since it has ended or is run again. How far its iteration came
-- stays; a hash that had only the mark goes.
--
-- KEYS  of the group: for each job two: cancelled, hash of its iteration
-- ARGV  of an entry: index of its first key, from 0; jid
kinds.cancelled = {
  arguments = 2,
  keys = 2,
  apply = function(first_key, entries)
    for i, at in ipairs(entries) do
      current = i
      local first = first_key + tonumber(ARGV[at])
      local iteration = KEYS[first + 1]
      redis.pcall('ZREM', KEYS[first], ARGV[at + 1])
      if redis.pcall('HDEL', iteration, 'cancelled') == 1 and redis.pcall('HEXISTS', iteration, 'ex') == 0 then
        redis.pcall('UNLINK', iteration)
      end
    end
  end
}
