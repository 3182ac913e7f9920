-- Reads a part of a queue or of a sorted set, up to a number of entries and of bytes, but at least one entry. Sizes are
-- unknown until an entry is read, so it reads two entries first, then larger chunks sized by the largest entry so far.
--
-- KEYS  1 the list or the sorted set
-- ARGV  1 order: newest, oldest (list); lowest, highest (by rank), rising, falling (by score), lexical (by member)
--       2 entries to skip  3 entries at most  4 bytes at most
--       5, 6 the first and the last score or member, for the last three
-- Returns {1 if more of the requested entries exist, else 0; entries, in a sorted set each followed by its score, but
--          not for lexical}
local key, how, skip, most, room = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local width = (how == 'newest' or how == 'oldest' or how == 'lexical') and 1 or 2

local function read(from, count)
  if how == 'newest' then return redis.pcall('LRANGE', key, from, from + count - 1) end
  if how == 'lowest' then return redis.pcall('ZRANGE', key, from, from + count - 1, 'WITHSCORES') end
  if how == 'highest' then return redis.pcall('ZREVRANGE', key, from, from + count - 1, 'WITHSCORES') end
  if how == 'rising' then return redis.pcall('ZRANGEBYSCORE', key, ARGV[5], ARGV[6], 'WITHSCORES', 'LIMIT', from, count) end
  if how == 'falling' then return redis.pcall('ZREVRANGEBYSCORE', key, ARGV[5], ARGV[6], 'WITHSCORES', 'LIMIT', from, count) end
  if how == 'lexical' then return redis.pcall('ZRANGEBYLEX', key, ARGV[5], ARGV[6], 'LIMIT', from, count) end
  local oldest = redis.pcall('LRANGE', key, -from - count, -from - 1)
  if oldest.err then return oldest end
  local turned = {}
  for i = #oldest, 1, -1 do turned[#turned + 1] = oldest[i] end
  return turned
end

local found, looked, biggest = {}, 0, 1
while looked < most do
  local chunk = math.max(1, math.min(most - looked, looked == 0 and 2 or looked * 4, math.floor(room / biggest)))
  local some = read(skip + looked, chunk)
  if some.err then return some end
  for i = 1, #some, width do
    local size = #some[i]
    if looked > 0 and size > room then return {1, found} end
    for part = i, i + width - 1 do found[#found + 1] = some[part] end
    looked = looked + 1
    room = room - size
    biggest = math.max(biggest, size)
  end
  if #some < chunk * width then break end
end
return {0, found}
