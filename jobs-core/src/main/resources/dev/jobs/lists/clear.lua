-- Empties a queue, with both its places, or the trash, in one step regardless of its size. Either removes
-- the jobs, or moves their list and their sorted set to places aside, where they wait to end with their effects. A key
-- of another type is removed in any case: it keeps jobs from being stored.
--
-- KEYS  1 queues  2 the list of the queue, or the trash  then, of a queue, its sorted set and its tags; of the trash, its
--       size
--       then, if jobs go aside, the names of the places aside and, for each place of the queue, one aside
-- ARGV  1 name of the queue, '' for the trash
--       2 what becomes of jobs: 'deleted'; 'aside'; 'kept', and with them the name of the queue
--       then, if jobs go aside, the name of each place aside
-- Returns the number of jobs removed or moved; -1 if it did nothing, because there are jobs to keep
local queue, fate = ARGV[1], ARGV[2]
local is_trash = queue == ''
local places = {{key = KEYS[2], type = is_trash and 'zset' or 'list'}}
if not is_trash then places[2] = {key = KEYS[3], type = 'zset'} end
local names = 5 -- index of the names of the places aside; the places follow
local count, broken, taken = 0, false, false
for number, place in ipairs(places) do
  local found = redis.call('TYPE', place.key)['ok']
  place.jobs = 0
  if found == place.type then
    place.jobs = redis.call(found == 'list' and 'LLEN' or 'ZCARD', place.key)
  elseif found ~= 'none' then
    broken = true
  end
  place.kept = place.jobs > 0 and fate == 'kept'
  if place.jobs > 0 and fate == 'aside' then
    place.name, place.aside = ARGV[2 + number], KEYS[names + number]
    taken = taken or redis.call('EXISTS', place.aside) == 1
  end
  count = count + place.jobs
end
if taken then return redis.error_reply('ERR a place aside is taken') end
if count > 0 and fate == 'kept' and not broken then return -1 end
if count > 0 and fate == 'aside' then
  redis.call('SREM', KEYS[names], '') -- removal first: a full Redis then allows the other writes
  for _, place in ipairs(places) do -- before they are there, so that they are found after any error
    if place.aside then redis.call('SADD', KEYS[names], place.name) end
  end
end
local gone = {}
for _, place in ipairs(places) do
  if place.aside then
    redis.call('RENAME', place.key, place.aside)
  elseif not place.kept then
    gone[#gone + 1] = place.key
  end
end
if is_trash then
  gone[#gone + 1] = KEYS[3]
elseif not places[2].kept then
  gone[#gone + 1] = KEYS[4]
end
if #gone > 0 then redis.call('UNLINK', unpack(gone)) end
if count > 0 and fate == 'kept' then return 0 end
if not is_trash then redis.pcall('SREM', KEYS[1], queue) end
return count
