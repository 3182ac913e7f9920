-- A kind of effect: removes keys that only this job uses.
--
-- KEYS  of the group: the keys
-- ARGV  of an entry: index of its key, from 0
kinds.unlink = {
  arguments = 1,
  keys = 1,
  apply = function(first_key, entries)
    for i, at in ipairs(entries) do
      current = i
      redis.pcall('UNLINK', KEYS[first_key + tonumber(ARGV[at])])
    end
  end
}
