-- Adds the execution counts of a process to Sidekiq's metrics, once, even if the call is repeated.
--
-- The number is written first, and nothing after it raises an error: a call that failed half way would be repeated and
-- count twice.
--
-- KEYS  1 number of this process's last call  2 the minute  3 the ten minutes
--       4 times of jobs and queues in the ten minutes  5… histogram of each job, in the order of the jobs
-- ARGV  1 number of the call  2 milliseconds to remember it
--       3 seconds to keep the minute and the histograms  4 seconds to keep the ten minutes
--       5 number of jobs and queues with times, then for each: its field; INDEX:COUNT, … to add
--       then for each job: name, executions, failed ones, milliseconds of the others, number of buckets, index and
--       count of each
--       bucket
-- Returns the number of writes refused because of a key of another type or a missing permission
local last = redis.pcall('GET', KEYS[1])
if type(last) == 'string' and tonumber(last) >= tonumber(ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1]) -- removal first: a full Redis then allows the other writes
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])

local refused = 0
local function write(...)
  local answer = redis.pcall(...)
  if type(answer) == 'table' and answer.err then refused = refused + 1 end
end

-- Adds counts, each INDEX:COUNT, to those of a job or a queue.
local LAST = 52
local function add(field, counts)
  local stored, sums, parts = redis.pcall('HGET', KEYS[4], field), {}, {}
  if type(stored) == 'string' then counts = stored .. ' ' .. counts end
  for index, count in string.gmatch(counts, '(%d+):(%d+)') do
    index = tonumber(index)
    sums[index] = (sums[index] or 0) + tonumber(count)
  end
  for index = 0, LAST do
    if sums[index] then parts[#parts + 1] = string.format('%d:%.0f', index, sums[index]) end
  end
  write('HSET', KEYS[4], field, table.concat(parts, ' '))
end

local at, histogram = 6, 5
for _ = 1, tonumber(ARGV[5]) do
  add(ARGV[at], ARGV[at + 1])
  at = at + 2
end
while at <= #ARGV do
  local name, executions, failed, millis, buckets = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], tonumber(ARGV[at + 4])
  for key = 2, 3 do
    write('HINCRBY', KEYS[key], name .. '|p', executions)
    if failed ~= '0' then write('HINCRBY', KEYS[key], name .. '|f', failed) end
    if buckets > 0 then write('HINCRBY', KEYS[key], name .. '|ms', millis) end
  end
  at = at + 5
  if buckets > 0 then
    local command = {'BITFIELD', KEYS[histogram], 'OVERFLOW', 'SAT'}
    for bucket = at, at + 2 * buckets - 1, 2 do
      command[#command + 1] = 'INCRBY'
      command[#command + 1] = 'u16'
      command[#command + 1] = '#' .. ARGV[bucket]
      command[#command + 1] = ARGV[bucket + 1]
    end
    write(unpack(command))
    write('EXPIRE', KEYS[histogram], ARGV[3])
    at = at + 2 * buckets
  end
  histogram = histogram + 1
end
write('EXPIRE', KEYS[2], ARGV[3])
write('EXPIRE', KEYS[3], ARGV[4])
write('EXPIRE', KEYS[4], ARGV[4])
return refused
