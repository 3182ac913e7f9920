-- Shared: applies the effects of jobs that end or move in this call. Effects arrive as groups of entries of one kind,
-- behind all other arguments; a call without effects has no such arguments.
--
-- KEYS  of each group, behind all others
-- ARGV  for each group: kind, index of its first key, number of entries
--       then for each entry: number of the job in this call, from 1; the outcome that it is for, or '' for any;
--       the arguments of its kind
--       A group whose number of entries is '0' has brief ones: all of them in one argument, six bytes each, big-endian:
--       two for the number of the job, four for a number that is the only argument.
--
-- kinds[name] = {arguments = number of arguments of an entry, apply = function(first_key, entries, outcomes),
--                apply_brief = function(first_key, numbers, outcomes)}
--                           One file each. entries holds, for each effect to apply, the index in ARGV of its first
--                           argument; outcomes holds what became of its job; numbers holds the argument of each brief
--                           entry, and only kinds that have such entries have apply_brief. A key of the wrong type, or
--                           one that this user may not write, must not keep the job: both use only pcall.
-- each(count, first, step)  Calls step for each of count jobs, then applies the groups that begin at index first of
--                           ARGV. step(number) returns the job's outcome, or nil if the job did not move. Returns the
--                           error that ended the loop early, if any: the steps before it can't be undone, so their
--                           effects are applied.
local kinds = {}

local function happen_briefly(kind, first_key, packed, became)
  local flat = {struct.unpack('>' .. string.rep('I2I4', #packed / 6), packed)}
  local numbers, outcomes, count = {}, {}, 0
  for i = 1, #flat - 1, 2 do
    local outcome = became[flat[i]]
    if outcome then
      count = count + 1
      numbers[count], outcomes[count] = flat[i + 1], outcome
    end
  end
  if count > 0 then kind.apply_brief(first_key, numbers, outcomes) end
end

local function happen(first, became)
  local at = first
  while at <= #ARGV do
    local kind, first_key, count = kinds[ARGV[at]], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    local entries, outcomes = {}, {}
    at = at + 3
    if count == 0 then
      happen_briefly(kind, first_key, ARGV[at], became)
      at = at + 1
    end
    for _ = 1, count do
      local outcome = became[tonumber(ARGV[at])]
      if outcome and (ARGV[at + 1] == '' or ARGV[at + 1] == outcome) then
        entries[#entries + 1] = at + 2
        outcomes[#outcomes + 1] = outcome
      end
      at = at + 2 + kind.arguments
    end
    if #entries > 0 then kind.apply(first_key, entries, outcomes) end
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
