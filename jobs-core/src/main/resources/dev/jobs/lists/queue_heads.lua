-- Reads the size of each queue and its next job. Of a large job, only the end is returned.
--
-- KEYS  the queues, then the sorted set beside each
-- ARGV  1 size up to which a job is returned whole, in bytes  2 bytes returned of the end of a larger job
--       3 bytes after which no further queue is read
-- Returns {three for each queue read: number of jobs, -1 if one of its keys has another type | its next job or ''
--          | 1 if only its end, else 0}
local whole, tail, room = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local answers = {}
local queues = #KEYS / 2
for i = 1, queues do
  local found = redis.call('TYPE', KEYS[i])['ok']
  local size, next, cut = 0, '', 0
  if found == 'list' then
    size, next = redis.call('LLEN', KEYS[i]), redis.call('LINDEX', KEYS[i], -1)
  elseif found ~= 'none' then
    size = -1
  end
  local waiting = size >= 0 and redis.pcall('ZCARD', KEYS[queues + i])
  if type(waiting) == 'table' then
    size = -1
  elseif waiting and waiting > 0 then
    if size == 0 then next = redis.call('ZRANGE', KEYS[queues + i], 0, 0)[1] end
    size = size + waiting
  end
  if #next > whole then next, cut = string.sub(next, -tail), 1 end
  answers[3 * i - 2], answers[3 * i - 1], answers[3 * i] = size, next, cut
  room = room - #next
  if room <= 0 then break end
end
return answers
