-- Reads the counters of a batch and states of its jobs at one moment. The states of jobs from outside and of those that
-- its own jobs added count as one row of bytes, in this order.
--
-- KEYS  1 its counters  2 states of its jobs  3 states of the jobs that it grew by
-- ARGV  1 position of the first state  2 states at most
-- Returns {the counters total, fresh, again, ok, failed, dead, skipped, lost; states}, or {} if there is no such batch
local from, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local counters = redis.call('HMGET', KEYS[1], 'total', 'fresh', 'again', 'ok', 'failed', 'dead', 'skipped', 'lost')
if not counters[1] then return {} end
local given = redis.call('STRLEN', KEYS[2])
local states = from < given and redis.call('GETRANGE', KEYS[2], from, from + most - 1) or ''
if #states < most then
  local first = math.max(0, from - given)
  states = states .. redis.call('GETRANGE', KEYS[3], first, first + most - #states - 1)
end
counters[9] = states
return counters
