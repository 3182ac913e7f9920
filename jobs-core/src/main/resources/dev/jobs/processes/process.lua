-- Publishes a process to user interfaces, and takes its oldest signal. Safety does not depend on it: what the process
-- has to hear is answered also if it can't be published.
--
-- KEYS  1 work of the process  2 processes  3 the process  4 its signals  5 cancelled  6 limits
-- ARGV  1 identity  2 seconds to show it  3 '1' if all running jobs follow, '0' for the changes since the last call
--       4 number of fields of the process  5 number of threads that no longer run the job shown
--       then name and value of each field; these threads; then thread and entry of each job that began
-- Returns {the signal or '', number of jobs shown now; -1 if the process has to be published anew,
--          the time of the newest cancellation of a job or '', queues for which people set limits, a line each,
--          why the process could not be published or ''}
local cancelled = redis.pcall('ZSCORE', KEYS[5], '') -- a key of the wrong type must not hide the process
local queues = redis.pcall('HGET', KEYS[6], 'queues')
cancelled = type(cancelled) == 'string' and cancelled or ''
queues = type(queues) == 'string' and queues or ''

local function publish()
  redis.pcall('SREM', KEYS[2], '') -- removal first: a full Redis then allows the other writes
  if ARGV[3] == '1' then redis.call('DEL', KEYS[1]) end
  local fields, ended = tonumber(ARGV[4]) * 2, tonumber(ARGV[5])
  for i = 6 + fields, 5 + fields + ended do redis.call('HDEL', KEYS[1], ARGV[i]) end
  for i = 6 + fields + ended, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  redis.call('SADD', KEYS[2], ARGV[1])
  redis.call('HSET', KEYS[3], unpack(ARGV, 6, 5 + fields))
  redis.call('EXPIRE', KEYS[3], ARGV[2])
  local shown = redis.call('HEXISTS', KEYS[3], 'info') == 1 and redis.call('HLEN', KEYS[1]) or -1
  return {redis.call('RPOP', KEYS[4]) or '', shown}
end

local published, answer = pcall(publish)
if published then return {answer[1], answer[2], cancelled, queues, ''} end
local failure = type(answer) == 'table' and answer.err or tostring(answer)
if string.find(failure, 'READONLY', 1, true) then error(answer, 0) end -- the primary has to be asked
return {'', -1, cancelled, queues, failure}
