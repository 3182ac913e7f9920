-- Puts jobs into one queue, once, even if the call is repeated, unless their checks refuse them.
--
-- KEYS  1 this client's pushes  2 queues  3 queue list
-- ARGV  1 lane  2 number of the push, colon, mark of its content  3 milliseconds to remember it
--       4 what the lane holds  5 name of the queue  6… payloads; the first one is taken first
--       KEYS and ARGV of checks as in shared_checks
-- Returns the answer of push in shared_checks
local known = false
return push(3, 6, 1, function(from, to, renews)
  local length = redis.call('LPUSH', KEYS[3], unpack(ARGV, from, to))
  -- A queue that was cleared is empty. Other writers may forget the name, so it is added from time to time as well.
  if not known and (renews or length == to - from + 1) then
    redis.pcall('SADD', KEYS[2], ARGV[5])
    known = true
  end
end)
