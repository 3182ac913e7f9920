-- A kind of check for tests: stores a payload only while fewer than so many of its group were stored.
--
-- KEYS  of a check: a hash
-- ARGV  of a check: group, most
checks.limit = {
  arguments = 2,
  refuse = function(key, at)
    return tonumber(redis.call('HGET', key, ARGV[at]) or 0) >= tonumber(ARGV[at + 1]) and 'full:' .. ARGV[at] or nil
  end,
  stored = function(key, at) redis.pcall('HINCRBY', key, ARGV[at], 1) end
}
