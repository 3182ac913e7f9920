-- Puts jobs into the scheduled set, once, even if the call is repeated, unless their checks refuse them.
--
-- KEYS  1 this client's pushes  2 schedule
-- ARGV  1 lane  2 number of the push, colon, mark of its content  3 milliseconds to remember it
--       4 what the lane holds  5… due time in epoch seconds, payload, and so on
--       KEYS and ARGV of checks as in shared_checks
-- Returns the answer of push in shared_checks
return push(2, 5, 2, function(from, to)
  redis.call('ZADD', KEYS[2], unpack(ARGV, from, to))
end)
