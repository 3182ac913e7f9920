-- Shared: stores the payloads of a push, once, even if the call is repeated, and makes the checks that they carry. A
-- call without checks has no keys and arguments for them.
--
-- A lane belongs to one push at a time. A higher number in it, or the same number with another mark, therefore means
-- that this is a late copy of a finished push, or that another client has the same id because its process was cloned.
-- The first write is deliberately not a removal: a full Redis must refuse new jobs.
--
-- KEYS  1 this client's pushes; those of the checks, behind all others
-- ARGV  1 lane  2 number of the push, colon, mark of its content  3 milliseconds to remember it
--       4 what the lane holds, as far as the client knows; '' if it doesn't know, and from time to time to renew what
--       else is stored about pushes, as a push does whose lane holds something else
--       behind the payloads, for each check: number of its payload, from 1; kind; index of its first key among those of
--       the checks, from 1; the arguments of its kind; behind all checks: number of payloads
--
-- checks[name] = {arguments = number of arguments of a check, refuse = function(key, at, index),
--                 stored = function(key, at, index, payload), divert = function(key, at, index, payload, reason)}
--       One file each; make(checks, name) adds it and returns it. at is the index in ARGV of the first argument, index
--       that of the check's first key in KEYS, and key that key; other keys of the check follow it.
--       refuse only reads, and reads each key that the others write. It returns why the payload must not be stored, a
--       word without blanks, or nil. It is called for each check before anything is written, so that an unusable key
--       is an error of the whole call, and again when its payload's turn has come. stored writes, if the payload was
--       stored. The payload stays stored: only pcall. divert, which most kinds don't have, stores a payload that this
--       check refused at another place.
-- push(keys, first, width, put)  The call has so many keys without those of checks; its payloads begin at index first
--       of ARGV, each with so many arguments. put(from, to, renews) stores some. Returns the script's answer: 1 if this
--       call stored them, 0 if the same push had been here before, -1 if another push has used the lane. If a check
--       refused payloads, 1 and 0 are followed by runs: for payloads in succession with the same answer, a blank, their
--       number, a colon and the reason, which is empty if they were stored.
local function put_checked(keys, first, width, put, renews)
  local checks, count, of = {}, tonumber(ARGV[#ARGV]), {}
  local at = first + width * count
  while at < #ARGV do
    local number, name, index = tonumber(ARGV[at]), ARGV[at + 1], keys + tonumber(ARGV[at + 2])
    local kind = checks[name] or make(checks, name)
    kind.refuse(KEYS[index], at + 3, index)
    of[number] = of[number] or {}
    table.insert(of[number], {kind = kind, key = KEYS[index], index = index, at = at + 3})
    at = at + 3 + kind.arguments
  end
  local runs, from, refused = {}, 1, false
  local answers = {}
  for number = 1, count do
    local payload, reason, by = ARGV[first + width * number - 1], nil, nil
    for _, each in ipairs(of[number] or {}) do
      if not reason then reason, by = each.kind.refuse(each.key, each.at, each.index), each end
    end
    if not reason then
      put(first + width * (number - 1), first + width * number - 1, renews)
      for _, each in ipairs(of[number] or {}) do each.kind.stored(each.key, each.at, each.index, payload) end
    elseif by.kind.divert then
      by.kind.divert(by.key, by.at, by.index, payload, reason)
    end
    refused = refused or reason
    answers[number] = reason or ''
  end
  for number = 1, count do
    if answers[number] ~= answers[number + 1] then
      runs[#runs + 1] = ' ' .. number - from + 1 .. ':' .. answers[number]
      from = number + 1
    end
  end
  return refused and table.concat(runs) or ''
end

local function push(keys, first, width, put)
  local last = redis.call('HGET', KEYS[1], ARGV[1])
  local renews = last ~= ARGV[4]
  if last and renews then
    if last == ARGV[2] then return 0 end
    if string.sub(last, 1, #ARGV[2] + 1) == ARGV[2] .. ' ' then return {0, string.sub(last, #ARGV[2] + 1)} end
    if tonumber(string.match(last, '^%d+')) >= tonumber(string.match(ARGV[2], '^%d+')) then return -1 end
  end
  local runs = ''
  if #KEYS == keys then put(first, #ARGV, renews) else runs = put_checked(keys, first, width, put, renews) end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. runs)
  if renews then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
  return runs == '' and 1 or {1, runs}
end
