-- Takes jobs out of a queue, a set or where they are parked, by their exact bytes, into the next slice of a transfer.
-- While there is a slice, takes nothing and returns that one, so a repeated call does no harm. A late copy finds another
-- number.
--
-- A job stays where it is if its iteration has begun or it was cancelled, or if it outlived a worker: what Redis
-- knows of it by its id or by its bytes is in this shard.
--
-- In a list it looks for the jobs from the index where they were read on, and not from its head: any number of jobs
-- that stay may be in front of them. It puts a mark in place of each and removes all marks together.
--
-- Parked jobs leave as jobs of the queue: in the target they ask for their permits there.
--
-- KEYS  1 the transfer  2 its slice  3 the list or the sorted set  4 recovered  then for each job its iteration, then
--       keys of effects
-- ARGV  1 id of the transfer  2 number of the slice  3 its mark  4 name of the place in entries of the slice; or parked,
--       if the sorted set has the parked jobs of a limit, which are of the queue in entries
--       5 now in epoch milliseconds  6 number of jobs  7 index of the first in a list  then the stored bytes of each,
--       and effects
-- An entry of the slice is the name of the place, a blank, the score (in a list nothing), a line break, the job.
-- Returns {status, the slice as NUMBER:MARK, or the last number, {per job 1 taken | 0 was not found | 2 begun or
--          cancelled | 3 outlived a worker}, entries of the slice}
--          status: taken; open: there is this slice from before; none: nothing was taken; closed: the transfer is over
local CHUNK, AHEAD, BYTES = 10, 100, 1048576
local transfer, slice, place = KEYS[1], KEYS[2], KEYS[3]
local known = redis.call('HMGET', transfer, 'id', 'number', 'slice')
if known[1] ~= ARGV[1] then return {'closed', '', {}, {}} end
if known[3] then return {'open', known[3], {}, redis.call('LRANGE', slice, 0, -1)} end
local number, jobs = tonumber(ARGV[2]), tonumber(ARGV[6])
if number ~= tonumber(known[2]) + 1 or jobs == 0 then return {'none', known[2], {}, {}} end
if not fits(slice, 'list') then return redis.error_reply('WRONGTYPE the slice of a transfer is no list') end

-- Finds the jobs in the list. New ones may have come to its head since they were read. Returns indexes by bytes.
local function find(from)
  local wanted, missing, found, index, looked = {}, jobs, {}, from, 0
  for job = 1, jobs do wanted[ARGV[7 + job]] = (wanted[ARGV[7 + job]] or 0) + 1 end
  while missing > 0 and index < from + jobs + AHEAD and looked < BYTES do
    local chunk = redis.call('LRANGE', place, index, index + CHUNK - 1)
    if #chunk == 0 then break end
    for at, stored in ipairs(chunk) do
      looked = looked + #stored
      if (wanted[stored] or 0) > 0 then
        wanted[stored] = wanted[stored] - 1
        missing = missing - 1
        found[stored] = found[stored] or {}
        table.insert(found[stored], index + at - 1)
      end
    end
    index = index + #chunk
  end
  return found
end

local is_list = redis.call('TYPE', place)['ok'] == 'list'
local suspecting = redis.pcall('HLEN', KEYS[4])
suspecting = type(suspecting) == 'number' and suspecting > 0
local is_parked = ARGV[4] == 'parked'
local name = is_parked and 'queue' or ARGV[4]
local results, taken, mark = {}, 0, 'transferred ' .. ARGV[1] .. ' ' .. number .. ':' .. ARGV[3]
local found = is_list and find(tonumber(ARGV[7]))
redis.call('HDEL', transfer, '') -- removal first: a full Redis then allows the other writes
local failure = each(jobs, 8 + jobs, function(job)
  local stored, there = ARGV[7 + job], nil
  if is_list then there = found[stored] and table.remove(found[stored], 1) else there = redis.call('ZSCORE', place, stored) end
  results[job] = 0
  if not there then return nil end
  if redis.call('EXISTS', KEYS[4 + job]) == 1 then
    results[job] = 2
    return nil
  end
  local payload = is_parked and select(3, parts(stored)) or stored
  if suspecting and strikes(KEYS[4], payload) > 0 then
    results[job] = 3
    return nil
  end
  if taken == 0 then
    redis.call('HSET', transfer, 'number', number, 'slice', number .. ':' .. ARGV[3], 'at', ARGV[5])
  end
  redis.call('RPUSH', slice, name .. ' ' .. ((is_list or is_parked) and '' or there) .. '\n' .. payload)
  if is_list then redis.call('LSET', place, there, mark) else redis.call('ZREM', place, stored) end
  taken = taken + 1
  results[job] = 1
  return 'transferred'
end)
if is_list and taken > 0 then redis.call('LREM', place, taken, mark) end
if failure then error(failure, 0) end
if taken == 0 then return {'none', known[2], results, {}} end
return {'taken', number .. ':' .. ARGV[3], results, redis.call('LRANGE', slice, 0, -1)}
