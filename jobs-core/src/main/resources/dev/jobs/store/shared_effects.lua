-- Shared: applies the effects of jobs that end or move in this call. Effects arrive as groups of entries of one kind,
-- behind all other arguments; a call without effects has no such arguments.
--
-- KEYS  of each group, behind all others; then the list of lost effects
-- ARGV  for each group: kind, index of its first key, number of entries
--       then for each entry: number of the job in this call, from 1; the outcome that it is for, or '' for any;
--       the arguments of its kind. One that several jobs share has all their numbers, as runs: '1-40 43'
--       A group whose number of entries is '0' has brief ones, whose only argument is a number: all of them in one
--       argument, as runs of jobs whose numbers follow each other, as those of the effects do. A run has eight bytes,
--       big-endian: two for the number of the first job, four for that of its effect, two for how many they are.
--
-- An effect that meets an error, such as a key of the wrong type, is noted in that list, and the leader makes it again
-- (effects_again.lua): so each must bear to be made twice, and later than others. again is then the time of its note.
-- A kind that applies its entries one by one sets current to the number of each, and nil behind them; then not all of a
-- group are noted. News of running jobs come again by themselves.
--
-- kinds[name] = {arguments = number of arguments of an entry, keys = number of its keys, or function(index in ARGV of its
--                first argument), apply = function(first_key, entries, outcomes, tokens),
--                apply_brief = function(first_key, runs)}
--                           One file each. entries holds, for each effect to apply, the index in ARGV of its first
--                           argument, the same for jobs that share one; outcomes holds what became of its job; tokens
--                           its token. Only kinds with brief entries have apply_brief; each of its runs has the first
--                           and the last of their numbers, and the outcome of all these jobs. A key of the wrong type,
--                           or one that this user may not write, must not keep the job: both use only pcall.
-- make(name)                Makes kinds[name] and returns it. Most calls have one kind, and making all takes Redis
--                           longer than most calls.
-- each(count, first, step, done)
--                           Calls step for each of count jobs, then applies the groups that begin at index first of
--                           ARGV. step(number) returns the job's outcome, or nil if the job did not move; and its
--                           token, if it was claimed. Returns the error that ended the loop early, if any: the steps
--                           before it can't be undone, so their effects are applied. done, if given, is of the first
--                           jobs, for which step isn't called: how many these are (count), and what it would have
--                           returned (became, token_of).
local kinds, make = {}, nil
local MOST_LOST, MOST_LARGE, LARGE = 1000, 20, 1000
local LOST_SECONDS = 86400
local plain, failed, current = redis, nil, nil
local redis = setmetatable({call = plain.call, pcall = function(...)
  local answer = plain.pcall(...)
  if type(answer) == 'table' and answer.err then
    failed = failed or {}
    failed[current or 0] = true
  end
  return answer
end}, {__index = plain})

-- Notes one effect that met an error. keys and arguments are those of the effect alone, flat.
local function lose(name, outcome, token, brief, keys, arguments)
  local list, note = KEYS[#KEYS], {}
  local function add(text) note[#note + 1] = #text .. ':' .. text end
  for _, text in ipairs({again or plain.call('TIME')[1], name, outcome, token or '', brief, tostring(#keys)}) do add(text) end
  for _, key in ipairs(keys) do add(key) end
  for _, argument in ipairs(arguments) do add(argument) end
  note = table.concat(note)
  local there = tonumber(plain.pcall('LLEN', list))
  if there and there < (#note > LARGE and MOST_LARGE or MOST_LOST) then
    plain.pcall('RPUSH', list, note)
    plain.pcall('EXPIRE', list, LOST_SECONDS)
  end
end

local function part(from, first, count)
  local some = {}
  for i = first, first + count - 1 do some[#some + 1] = from[i] end
  return some
end

-- Brief effects by runs of numbers whose jobs had the same outcome; jobs that did not move are in none.
local function runs_of(packed, became)
  local runs, at = {}, 1
  while at < #packed do
    local job, number, count
    job, number, count, at = struct.unpack('>I2I4I2', packed, at)
    local from = 0
    while from < count do
      local outcome, to = became[job + from], from + 1
      while to < count and became[job + to] == outcome do to = to + 1 end
      if outcome then runs[#runs + 1] = {first = number + from, last = number + to - 1, outcome = outcome} end
      from = to
    end
  end
  return runs
end

local function happen_briefly(kind, name, first_key, packed, became)
  local runs = runs_of(packed, became)
  failed, current = nil, nil
  if #runs > 0 then kind.apply_brief(first_key, runs) end
  for _, run in ipairs(failed and kind.keys and runs or {}) do
    if run.outcome ~= 'noted' then
      for number = run.first, run.last do
        lose(name, run.outcome, nil, '1', part(KEYS, first_key, kind.keys), {string.format('%.0f', number)})
      end
    end
  end
end

local function happen(first, became, token_of)
  local ARGV, at = ARGV, first
  while at <= #ARGV do
    local name, first_key, count = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    local kind = kinds[name] or make(name)
    local entries, outcomes, tokens, size = {}, {}, {}, 0
    at = at + 3
    if count == 0 then
      happen_briefly(kind, name, first_key, ARGV[at], became)
      at = at + 1
    end
    local function consider(number)
      local outcome = became[number]
      if outcome and (ARGV[at + 1] == '' or ARGV[at + 1] == outcome) then
        size = size + 1
        entries[size], outcomes[size], tokens[size] = at + 2, outcome, token_of[number]
      end
    end
    for _ = 1, count do
      local number = tonumber(ARGV[at])
      if number then
        consider(number)
      else
        for from, to in string.gmatch(ARGV[at], '(%d+)%-?(%d*)') do
          for each = tonumber(from), tonumber(to) or tonumber(from) do consider(each) end
        end
      end
      at = at + 2 + kind.arguments
    end
    failed, current = nil, nil
    if size > 0 then kind.apply(first_key, entries, outcomes, tokens) end
    for i = 1, failed and kind.keys and size or 0 do
      local entry = entries[i]
      if outcomes[i] ~= 'noted' and (failed[0] or failed[i]) then
        local own = type(kind.keys) == 'function' and kind.keys(entry) or kind.keys
        lose(name, outcomes[i], tokens[i], '0', part(KEYS, first_key + tonumber(ARGV[entry]), own),
          part(ARGV, entry + 1, kind.arguments - 1))
      end
    end
  end
end

local function each(count, first, step, done)
  local became, token_of = done and done.became or {}, done and done.token_of or {}
  local through, failure = pcall(function()
    for number = done and done.count + 1 or 1, count do became[number], token_of[number] = step(number) end
  end)
  happen(first, became, token_of)
  return not through and failure or nil
end
