-- Looks at queues: how many jobs are in each, and the one that is taken next. Of a large one only the end is sent.
--
-- KEYS  the queues
-- ARGV  1 bytes up to which a job is sent as a whole  2 bytes that are sent of the end of a larger one
--       3 bytes after which no further queue is looked at
-- Returns {three for each queue that was looked at: jobs in it, -1 if its key is no list | the next one or '' | 1 if that is only its end, else 0}
local whole, tail, room = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local answers = {}
for i = 1, #KEYS do
  local found = redis.call('TYPE', KEYS[i])['ok']
  local size, next, cut = 0, '', 0
  if found == 'list' then
    size, next = redis.call('LLEN', KEYS[i]), redis.call('LINDEX', KEYS[i], -1)
    if #next > whole then next, cut = string.sub(next, -tail), 1 end
  elseif found ~= 'none' then
    size = -1
  end
  answers[3 * i - 2], answers[3 * i - 1], answers[3 * i] = size, next, cut
  room = room - #next
  if room <= 0 then break end
end
return answers
