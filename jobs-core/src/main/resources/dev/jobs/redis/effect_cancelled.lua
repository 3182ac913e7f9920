-- A kind of effect: forgets that a job was cancelled, since it has ended.
--
-- KEYS  of the group: cancelled
-- ARGV  of an entry: index of its key, from 0; jid
kinds.cancelled = {
  arguments = 2,
  apply = function(first_key, entries)
    for _, at in ipairs(entries) do redis.pcall('ZREM', KEYS[first_key + tonumber(ARGV[at])], ARGV[at + 1]) end
  end
}
