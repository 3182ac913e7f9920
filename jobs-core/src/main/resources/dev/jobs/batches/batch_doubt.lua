-- Doubts jobs of a batch that wait or run: their states become capital letters. The next effect on a doubted job turns
-- its state back, so a job that is still doubted later has had no effect since.
--
-- KEYS  1 states of the jobs  2 counters of the batch
-- ARGV  1 position of a job  2 for this job and each one behind it a character: '1' if it is doubted
--       3… fields of callbacks that are doubted
-- Returns the number of jobs that are doubted by now
local states, counters, first, mask = KEYS[1], KEYS[2], tonumber(ARGV[1]), ARGV[2]
local DOUBT = {q = 'Q', w = 'W', r = 'R', v = 'V', Q = 'Q', W = 'W', R = 'R', V = 'V'}
redis.call('HDEL', counters, '') -- removal first: a full Redis then allows the other writes
local doubted = 0
local found = mask == '' and '' or redis.call('GETRANGE', states, first, first + #mask - 1)
local letters = {}
for i = 1, #found do
  local letter = string.sub(found, i, i)
  local now = string.sub(mask, i, i) == '1' and DOUBT[letter]
  if now then doubted = doubted + 1 end
  letters[i] = now or letter
end
if doubted > 0 then redis.call('SETRANGE', states, first, table.concat(letters)) end
for i = 3, #ARGV do
  local now = DOUBT[redis.call('HGET', counters, ARGV[i])]
  if now then
    redis.call('HSET', counters, ARGV[i], now)
    doubted = doubted + 1
  end
end
return doubted
