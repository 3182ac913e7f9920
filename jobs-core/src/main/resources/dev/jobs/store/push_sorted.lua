-- Puts jobs into the sorted set of a queue, once, even if the call is repeated, unless their checks refuse them.
--
-- KEYS  1 this client's pushes  2 queues  3 sorted set of the queue  4 its tags
-- ARGV  1 lane  2 number of the push, colon, mark of its content  3 milliseconds to remember it
--       4 what the lane holds  5 name of the queue  6… rank as in shared_order, payload, and so on
--       KEYS and ARGV of checks as in shared_checks
-- Returns the answer of push in shared_checks
local known = false
return push(4, 6, 2, function(from, to, renews)
  local first = put_in_order(KEYS[3], KEYS[4], {unpack(ARGV, from, to)})
  if not known and (renews or first) then
    redis.pcall('SADD', KEYS[2], ARGV[5])
    known = true
  end
end)
