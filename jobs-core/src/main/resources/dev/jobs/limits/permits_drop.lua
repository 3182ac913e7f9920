-- Drops permits of jobs that their process doesn't hold: each is given back in the step in which its job ends or moves,
-- unless its key held another type at that moment. Lets the leader look at their keys.
--
-- KEYS  1 permits of a limit  2 limits to look at  3 the bell of the queue, if it is the limit of a whole queue, else 1
--       again; then for each permit two: the jobs of its process, limits by token of that process
-- ARGV  1 the limit; then three for each permit: its member, its token, its key
-- Returns how many were dropped
local dropped = 0
redis.call('ZREM', KEYS[2], '') -- removal first: a full Redis then allows the other writes
for i = 2, #ARGV, 3 do
  local held, by_token = KEYS[4 + (i - 2) / 3 * 2], KEYS[5 + (i - 2) / 3 * 2]
  if redis.call('HEXISTS', held, ARGV[i + 1]) == 0 and redis.call('ZREM', KEYS[1], ARGV[i]) == 1 then
    redis.pcall('HDEL', by_token, ARGV[i + 1])
    redis.call('ZADD', KEYS[2], 0, ARGV[1] .. '\n' .. ARGV[i + 2])
    dropped = dropped + 1
  end
end
if dropped > 0 and KEYS[3] ~= KEYS[1] then redis.call('PSETEX', KEYS[3], BELL, '1') end
return dropped
