-- Reads batches, as many as one answer may carry: callbacks are payloads of any size.
--
-- KEYS  for each batch two: its counters, its definition
-- ARGV  1 bytes at most, unless the first one alone is larger  2 '1' to leave the payloads of callbacks out
-- Returns {for each batch that was read, in order: fields and values of its counters; those of its definition}
local room, brief, read = tonumber(ARGV[1]), ARGV[2] == '1', {}

local function hash(key)
  local found = redis.pcall('HGETALL', key)
  return found.err and {} or found
end

local function without_callbacks(key)
  local names, flat = redis.pcall('HKEYS', key), {}
  for _, name in ipairs(names.err and {} or names) do
    if string.sub(name, 1, 9) ~= 'callback:' then
      flat[#flat + 1] = name
      flat[#flat + 1] = redis.call('HGET', key, name)
    end
  end
  return flat
end

for i = 1, #KEYS, 2 do
  local counters = hash(KEYS[i])
  local definition = brief and without_callbacks(KEYS[i + 1]) or hash(KEYS[i + 1])
  for _, part in ipairs({counters, definition}) do
    for _, text in ipairs(part) do room = room - #text end
  end
  if room < 0 and i > 1 then break end
  read[i], read[i + 1] = counters, definition
end
return read
