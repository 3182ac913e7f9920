-- A kind of effect: removes keys that are of use to the job alone.
--
-- KEYS  of the group: the keys
-- ARGV  of an entry: which of them, from 0
kinds.unlink = {
  arguments = 1,
  apply = function(first_key, entries)
    for _, at in ipairs(entries) do redis.pcall('UNLINK', KEYS[first_key + tonumber(ARGV[at])]) end
  end
}
