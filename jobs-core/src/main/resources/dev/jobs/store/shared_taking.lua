-- Shared: takes jobs out of queues for a claim. They are written into the hash of their process before they leave their
-- queue, with the record by which a repeated call finds them.
--
-- What a call doesn't need isn't made: to make a function costs Redis the more, the more variables it shares.
--
-- KEYS  1 in-flight hash of this process  4 ledger  14… queue lists
-- ARGV  1 incarnation  2 line  3 number of the call  4 jobs wanted  5 bytes wanted at most
--       11 number of queue lists to claim from  12 number of acks without effects  13 number of acks with effects
--       14 number of moves  15 number of queue lists  16 mark of the call  17… names of the queues, then what
--       claim.lua says
--
-- begin(q)       What follows is of queue q: its name, payloads, fields of the hash, how many jobs were taken before.
-- accept(payload)  Takes a job. Returns false for one that stays.
-- keep(q)        Writes what was accepted from queue q. After this, a repeated call finds these jobs, even if the call
--                fails later. These three are nil in a call that claims from no list.
-- stays(payload) Returns whether a job, else the next one to be taken, has to stay in its queue; nil if none has to.
--
-- handing        What settled jobs left for the next ones, by payload, if any did: take(me, token, held) gives it to a
--                job and returns what to tell the process; held is what the gate gave the token. leave() is called if
--                this call doesn't take the job.
-- went_on        How many jobs settled ones let go on, by the list at whose front they are; nil if none.
-- gate           What stands at some of the queues; nil if nothing does. Each kind has a file gate_KIND that adds to
--                it what it needs in open(at), which reads ARGV from index at and returns the index behind its own.
--                What another kind has put there it calls as well, or for queues that are not its own:
--   room(q, want)     Returns how many jobs the call may have taken after queue q, which is at most want.
--   hold(q)           Is told of jobs that were accepted, before they are written.
--   held(q)           Returns what it gave them, as a beginning for more; nil if nothing. Only for one kind.
--   take(q, want)     Takes jobs of that queue from elsewhere, behind those of its list. Returns the error, if any.
--   beside(q)         Returns that place, a key that belongs to it, and the type of both.
--   put(q, rank, payload)  Puts a job there.
--   full()            Returns the indexes of the lists that are shut; negative where a key has the wrong type.
local inflight, ledger = KEYS[1], KEYS[4]
local me, line, want, room = ARGV[1], ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local lists, acks, ends, moves = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14])
local prefix = line .. ':' .. ARGV[3] .. ':' -- of tokens
local FIRST_LIST, NAMES = 13, 16
local tokens = NAMES + tonumber(ARGV[15])
local first_end = tokens + acks
local first_move = first_end + ends
local first_effect = first_move + 6 * moves + 1 -- once the gates before it are open
local last, recorded, gate, stays
local claimed, taken, runs = {}, 0, ''
local payloads, fields, name, before

-- The types of targets were checked before; a counter of the wrong type must not end the call half way.
local function count(key, field, by, seconds)
  if by == 0 then return end
  if field then
    redis.pcall('HINCRBY', key, field, by)
  elseif redis.pcall('INCRBY', key, by) == by and seconds then
    redis.pcall('EXPIRE', key, seconds)
  end
end

local function record(fields)
  -- Lines are numbered from 0 without gaps: that is how other scripts tell their fields from jobs.
  if not last and not recorded then
    for below = 0, line - 1 do redis.call('HSETNX', inflight, '#' .. below, '0') end
  end
  fields[1], fields[2] = '#' .. line, ARGV[3] .. ' ' .. ARGV[16] .. runs
  redis.call('HSET', inflight, unpack(fields))
  recorded = true
end

local begin, accept, keep
if lists > 0 then
  function begin(q)
    payloads, fields, name, before = {}, {'', ''}, ARGV[NAMES + q], taken
  end

  function accept(payload)
    if stays and stays(payload) then return false end
    taken = taken + 1
    room = room - #payload
    local size = taken - before
    payloads[size] = payload
    fields[size * 2 + 1] = prefix .. taken .. ':' .. name
    fields[size * 2 + 2] = payload
    return true
  end

  function keep(q)
    if gate and gate.hold then gate.hold(q) end -- first: if it fails, nothing was taken
    claimed[#claimed + 1] = q
    claimed[#claimed + 1] = payloads
    runs = runs .. '\n' .. taken - before .. ' ' .. name
    record(fields)
    count(ledger, 'claimed', taken - before)
  end
end
