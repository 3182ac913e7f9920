-- A kind of effect: keeps the twin of a scheduled job right whose stored bytes change, so that a later call still finds
-- the job that it replaces.
--
-- KEYS  of the group: the twins, as for check_replace
-- ARGV  of an entry: index of its twin, from 0; jid; the job as it is stored from now on
kinds.rewritten = {
  arguments = 3,
  keys = 1,
  apply = function(first_key, entries)
    for i, at in ipairs(entries) do
      current = i
      local twin = KEYS[first_key + tonumber(ARGV[at])]
      if redis.pcall('HGET', twin, 'jid') == ARGV[at + 1] and redis.pcall('HEXISTS', twin, 'job') == 1 then
        redis.pcall('HSET', twin, 'job', ARGV[at + 2])
      end
    end
  end
}
