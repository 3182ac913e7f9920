-- Puts jobs into one queue, once, even if the call is repeated, unless their checks refuse them.
--
-- KEYS  1 this client's pushes  2 queues  3 queue list
-- ARGV  1 slot  2 number of the push, colon, mark of its content  3 milliseconds to remember it
--       4 name of the queue  5… payloads; the first one is taken first
--       KEYS and ARGV of checks as in shared_checks
-- Returns the answer of push in shared_checks
local answer, stored = push(3, 5, 1, function(from, to)
  redis.call('LPUSH', KEYS[3], unpack(ARGV, from, to))
end)
if stored then redis.pcall('SADD', KEYS[2], ARGV[4]) end
return answer
