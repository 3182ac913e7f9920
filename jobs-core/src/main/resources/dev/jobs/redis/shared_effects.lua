-- Shared: a job ended or moved. What else is to happen in that very step, and only then, comes as effects: groups of entries of one kind.
-- They stand behind all other arguments, and there is nothing where there are none.
--
-- KEYS  of each group, behind all others
-- ARGV  for each group: kind, index of its first key, number of entries
--       then for each entry: number of the job in this call, from 1; what has to have become of it, or '' for anything; the
--       arguments of its kind
--
-- kinds[name] = {arguments = how many an entry has, apply = function(first_key, entries)}
--                          A file for each. Entries are the indexes in ARGV of the arguments of those that happened. A key of the wrong type, or
--                          one that this user may not write, must not keep the job: apply uses pcall alone.
-- each(count, first, step)  Takes a step for each of so many jobs and then applies the groups that begin at that index of ARGV. step(number)
--                          returns what became of the job, nil if nothing did. Returns the error that ended it before the last job: what
--                          became of the others can't be taken back, so their effects happen.
local kinds = {}

local function happen(first, became)
  local at = first
  while at <= #ARGV do
    local kind, first_key, count = kinds[ARGV[at]], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    local entries = {}
    at = at + 3
    for _ = 1, count do
      local outcome = became[tonumber(ARGV[at])]
      if outcome and (ARGV[at + 1] == '' or ARGV[at + 1] == outcome) then entries[#entries + 1] = at + 2 end
      at = at + 2 + kind.arguments
    end
    if #entries > 0 then kind.apply(first_key, entries) end
  end
end

local function each(count, first, step)
  local became = {}
  local through, failure = pcall(function()
    for number = 1, count do became[number] = step(number) end
  end)
  happen(first, became)
  return not through and failure or nil
end
