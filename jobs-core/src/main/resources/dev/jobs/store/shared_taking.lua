-- Shared: takes jobs out of queues for a claim. They are written into the hash of their process before they leave their
-- queue, with the record by which a repeated call finds them.
--
-- KEYS  1 in-flight hash of this process  4 ledger  5 recovered  14… queue lists
-- ARGV  1 incarnation  2 line  3 number of the call  5 bytes wanted at most  6 suspects that may be claimed
--       7 recoveries that make a suspect  16 mark of the call  17… names of the queues
--
-- begin(q)       What follows is of queue q: payloads, fields of the hash, how many jobs were taken before.
-- accept(payload)  Takes a job. Returns false for a suspect, if none may be claimed.
-- keep(q)        Writes what was accepted from queue q. After this, a repeated call finds these jobs, even if the call
--                fails later.
-- take(q, want)  Takes jobs from the list of queue q, until want were taken in all. Returns the error if it is none.
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
local inflight, ledger, recovered = KEYS[1], KEYS[4], KEYS[5]
local me, line, room, suspects, suspicious = ARGV[1], ARGV[2], tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local prefix = line .. ':' .. ARGV[3] .. ':' -- of tokens
local FIRST_LIST, NAMES = 13, 16
local FEW = 20 -- suspects that may stay at the front of a queue while other jobs pass them
local last, recorded, suspecting, gate
local claimed, taken, runs, outlived, handed_on = {}, 0, '', {}, {}
local payloads, fields, suffix, before

-- Whether any job outlived its worker.
local function any_recovered()
  local counted = redis.pcall('HLEN', recovered)
  return type(counted) == 'number' and counted > 0
end

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

local function begin(q)
  payloads, fields, suffix, before = {}, {'', ''}, ':' .. ARGV[NAMES + q], taken
end

local function accept(payload)
  if suspecting == nil then suspecting = any_recovered() end
  local died = suspecting and strikes(recovered, payload) or 0
  -- Another suspect may be running here, and one crash must not count against both.
  if died >= suspicious and suspects <= 0 then return false end
  taken = taken + 1
  if died > 0 then
    if died >= suspicious then suspects = suspects - 1 end
    outlived[#outlived + 1] = taken
    outlived[#outlived + 1] = died
  end
  room = room - #payload
  local size = taken - before
  payloads[size] = payload
  fields[size * 2 + 1] = prefix .. taken .. suffix
  fields[size * 2 + 2] = payload
  return true
end

local function keep(q)
  if gate and gate.hold then gate.hold(q) end -- first: if it fails, nothing was taken
  claimed[#claimed + 1] = q
  claimed[#claimed + 1] = payloads
  runs = runs .. '\n' .. taken - before .. ' ' .. ARGV[NAMES + q]
  record(fields)
  count(ledger, 'claimed', taken - before)
end

local function take(q, want)
  local key = KEYS[FIRST_LIST + q]
  local looked, biggest, aside = 0, 1, {}
  begin(q)
  while want > taken and room > 0 and looked < 200 do
    -- Two jobs first, so that a single job needs no second read, then larger chunks sized by the largest job so far:
    -- sizes are unknown until a job is read, and huge jobs must not come in one chunk.
    local chunk = math.max(1, math.min(want - taken, looked == 0 and 2 or looked * 4, math.floor(room / biggest)))
    local jobs = redis.pcall('LRANGE', key, -looked - chunk, -looked - 1)
    if jobs.err then return jobs end
    for i = #jobs, 1, -1 do
      if room <= 0 then break end
      local payload = jobs[i]
      looked = looked + 1
      if not accept(payload) then
        aside[#aside + 1] = payload
      elseif #payload > biggest then
        biggest = #payload
      end
    end
    if #jobs < chunk then break end
  end
  if taken > before then
    keep(q)
    for i, payload in ipairs(handing and payloads or {}) do
      local left = handing[payload]
      if left then
        handing[payload] = nil
        handed_on[#handed_on + 1] = before + i
        handed_on[#handed_on + 1] = left.take(me, prefix .. before + i .. suffix, gate and gate.held and gate.held(q) or '')
      end
    end
  elseif #aside <= FEW or looked == redis.call('LLEN', key) then
    return -- no job, or only suspects: they stay, and clients that track the key see no change
  end
  if #aside > 0 and #aside <= FEW then
    -- Few suspects stay at the front: at the back of a long queue they would wait for its end, one after
    -- the other.
    for _, payload in ipairs(payloads) do redis.call('LREM', key, -1, payload) end
    return
  end
  if #aside > 0 then -- so many would hide the other jobs
    redis.call('LPUSH', key, unpack(aside))
    count(ledger, 'aside', #aside) -- shows an audit that reads the queue in parts that jobs moved
  end
  redis.call('LTRIM', key, 0, -looked - 1)
end
