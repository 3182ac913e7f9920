-- A kind of effect: forgets the twin of a job that is no longer scheduled, so that it keeps no copy of the job.
--
-- KEYS  of the group: the twins, as for check_replace
-- ARGV  of an entry: index of its twin, from 0; jid
kinds.twin = {
  arguments = 2,
  keys = 1,
  apply = function(first_key, entries, outcomes)
    for i, at in ipairs(entries) do
      current = i
      local twin = KEYS[first_key + tonumber(ARGV[at])]
      if outcomes[i] ~= 'set' and redis.pcall('HGET', twin, 'jid') == ARGV[at + 1] then redis.pcall('UNLINK', twin) end
    end
  end
}
