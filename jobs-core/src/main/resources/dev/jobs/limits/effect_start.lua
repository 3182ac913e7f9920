-- A kind of effect: gives back a start by a rate that a job took, if the job goes back to its queue or ends without having
-- begun. Once another job has started after it, the start stays used up: the time of that one was counted from it. Jobs
-- that are parked until a later time have the start.
--
-- KEYS  of the group: starts by rates, limits to look at
-- ARGV  of an entry: index of its key, from 0; LIMIT, line break, KEY; the value that the start stored; the value
--       before it, which is stored again
kinds.start = {
  arguments = 4,
  keys = 2,
  apply = function(first_key, entries)
    for i, at in ipairs(entries) do
      current = i
      local rates, wake = KEYS[first_key + tonumber(ARGV[at])], KEYS[first_key + tonumber(ARGV[at]) + 1]
      if redis.pcall('HGET', rates, ARGV[at + 1]) == ARGV[at + 2] then
        redis.pcall('HSET', rates, ARGV[at + 1], ARGV[at + 3])
        redis.pcall('ZADD', wake, 'XX', 'LT', string.format('%.6f', ARGV[at + 3] / 1000000), ARGV[at + 1])
      end
    end
  end
}
