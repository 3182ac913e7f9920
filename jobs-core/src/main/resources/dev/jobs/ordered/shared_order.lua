-- Shared: jobs of ordered queues, which wait in a sorted set beside the list of their queue. The lowest score is taken
-- first. Bytes that are in the set already stay one job, as in the scheduled set.
--
-- rank of a job   'F', size of its turn, blank, key: a turn after the last job of its key, and after the one that is
--                 taken next
--                 'P', microseconds: as if it had been enqueued so much earlier
-- tags            a sorted set: '=KEY' the turn of the last job of a key, until the queue has come to that turn;
--                 '#' what keeps jobs of one turn, or of one moment, in order: below 0
--
-- put_in_order(set, tags, jobs)           Stores jobs, given as rank, payload, and so on. Returns whether there was
--                                         none before. Its first write is no removal.
-- take_in_order(set, tags, most, room, accepts, keep)
--                                         Removes the first jobs: at most so many, and at least one if any has fewer
--                                         bytes than there is room. accepts(payload) returns whether to take a job;
--                                         keep() writes the taken ones to their new place, before they are removed.
--                                         Returns the error if the set is none.
local TIES = 65536 -- parts of the smallest difference between two turns
local FORGOTTEN = 20 -- keys that are forgotten with a call, besides two for each job
local heads = {}

-- The turn of the job that is taken next, nil if there is none; and the error if the set is none.
local function head_of(set)
  local head = redis.pcall('ZRANGE', set, 0, 0, 'WITHSCORES')
  return head[1] and math.floor(tonumber(head[2])), head.err and head
end

local function put_in_order(set, tags, jobs)
  local head = heads[set] or head_of(set)
  local function tag(name) return head and tonumber(redis.call('ZSCORE', tags, name) or nil) or 0 end
  local count, now, turns, scored = -tag('#'), nil, {}, {}
  for i = 1, #jobs, 2 do
    local kind, by, key = string.match(jobs[i], '^(%u)(%-?%d+) ?(.*)$')
    local score
    count = count + 1
    if kind == 'P' then
      now = now or redis.call('TIME')
      count = math.max(now[1] * 1000000 + now[2], count) -- two jobs never have the same moment
      score = count - by
    else
      turns[key] = math.max(head or 0, turns[key] or tag('=' .. key)) + by
      score = turns[key] + count % TIES / TIES
    end
    scored[i], scored[i + 1] = string.format('%.17g', score), jobs[i + 1]
  end
  redis.call('ZADD', set, unpack(scored))
  if not head then redis.call('UNLINK', tags) end -- those of jobs that are gone
  local changed = {string.format('%.0f', -count), '#'}
  for key, turn in pairs(turns) do
    changed[#changed + 1] = string.format('%.0f', turn)
    changed[#changed + 1] = '=' .. key
  end
  redis.call('ZADD', tags, unpack(changed))
  heads[set] = head or 0
  return not head
end

local function take_in_order(set, tags, most, room, accepts, keep)
  local looked, biggest, taken = 0, 1, {}
  while #taken < most and room > 0 and looked < 200 do
    -- Two jobs first, then larger chunks sized by the largest job so far: sizes are unknown until a job is read.
    local chunk = math.max(1, math.min(most - #taken, looked == 0 and 2 or looked * 4, math.floor(room / biggest)))
    local some = redis.pcall('ZRANGE', set, looked, looked + chunk - 1)
    if some.err then return some end
    for _, payload in ipairs(some) do
      if room <= 0 then break end
      looked = looked + 1
      if accepts(payload) then
        taken[#taken + 1] = payload
        room = room - #payload
        biggest = math.max(biggest, #payload)
      end
    end
    if #some < chunk then break end
  end
  if #taken > 0 then
    keep()
    redis.call('ZREM', set, unpack(taken))
  end
  local head, failure
  if #taken > 0 or looked == 0 then head, failure = head_of(set) end
  if failure then return failure end
  if not head and #taken == looked then
    redis.pcall('UNLINK', tags)
  elseif head then -- a key whose turn has come is like one that was never there
    local past = redis.pcall('ZRANGEBYSCORE', tags, 0, head, 'LIMIT', 0, FORGOTTEN + 2 * #taken)
    if #past > 0 then redis.pcall('ZREM', tags, unpack(past)) end
  end
end
