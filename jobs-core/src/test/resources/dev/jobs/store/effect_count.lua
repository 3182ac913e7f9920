-- A kind of effect for tests: counts how often it happened.
--
-- KEYS  of the group: hashes
-- ARGV  of an entry: which of them, from 0; field
--       A brief entry has a number, which is the field of the first one.
kinds.count = {
  arguments = 2,
  apply = function(first_key, entries)
    for _, at in ipairs(entries) do redis.pcall('HINCRBY', KEYS[first_key + tonumber(ARGV[at])], ARGV[at + 1], 1) end
  end,
  apply_brief = function(first_key, runs)
    for _, run in ipairs(runs) do
      for number = run.first, run.last do redis.pcall('HINCRBY', KEYS[first_key], string.format('%.0f', number), 1) end
    end
  end
}
