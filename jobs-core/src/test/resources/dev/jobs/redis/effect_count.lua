-- A kind of effect for tests: counts how often it happened.
--
-- KEYS  of the group: hashes
-- ARGV  of an entry: which of them, from 0; field
kinds.count = {
  arguments = 2,
  apply = function(first_key, entries)
    for _, at in ipairs(entries) do redis.pcall('HINCRBY', KEYS[first_key + tonumber(ARGV[at])], ARGV[at + 1], 1) end
  end
}
