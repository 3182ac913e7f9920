-- A kind of effect: gives back a permit of a limit, whatever became of the job, and lets the first parked job of
-- that key go to the front of its queue, if that is the queue of this job and not paused. Otherwise the leader looks at
-- the key at once; or, if the limit has a rate that lets the job start later, at that time. A claim gives the permit to
-- such a job if it takes it in this very call; otherwise it is asked later whether the job took it. At a limit that has
-- only a rate jobs wait for their time, which the leader knows, and not for permits. A parked job that must not be run
-- gets no permit: the leader looks at the key at once.
--
-- All permits are given back before the first job goes on, those of a limit together.
--
-- KEYS  of the group: for each limit and queue its permits, its parked jobs, limits by token, limits, limits to look
--       at, the queue list, queues, paused, starts by rates, cancelled jobs, cancelled batches
-- ARGV  of an entry: index of its first key, from 0; name of the limit; key; incarnation; name of the queue
kinds.permit = {
  arguments = 5,
  keys = 11,
  apply = function(first_key, entries, _, of)
    local passed, time, now = {}, nil, nil

    local function pass_on(k, at)
      local permits, parked, by_token, limits, wake, list = KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], KEYS[k + 4], KEYS[k + 5]
      local rates = KEYS[k + 8]
      local limit, key, queue = ARGV[at + 1], ARGV[at + 2], ARGV[at + 4]
      local id = limit .. '\n' .. key
      local next_one = first(parked, key, 1)[1]
      if not next_one then return end
      local many, rate = most(limits, limit)
      if many and out(permits, key) + (passed[id] or 0) >= many or not many and rate then return end
      local next, every
      if rate then
        now = now or micros()
        next, every = next_start(rate, redis.pcall('HGET', rates, id), now)
        next = next + (passed[id] or 0) * every
      end
      local its_queue, alone, payload, conditions = parts(next_one)
      local kind = redis.pcall('TYPE', list)['ok']
      if next and next > now then
        redis.pcall('ZADD', wake, 'LT', seconds(next), id)
      elseif unmet(conditions or '', KEYS[k + 9], KEYS[k + 10]) or its_queue ~= queue or is_paused(KEYS[k + 7], queue)
        or kind ~= 'list' and kind ~= 'none' then
        redis.pcall('ZADD', wake, 0, id)
      elseif type(redis.pcall('RPUSH', list, payload)) == 'number' then
        redis.pcall('ZREM', parked, next_one)
        redis.pcall('SADD', KEYS[k + 6], queue)
        passed[id] = (passed[id] or 0) + 1
        time = time or redis.pcall('TIME')[1] or 0
        if handing then
          went_on = went_on or {}
          went_on[list] = (went_on[list] or 0) + 1
        end
        local recheck = time + RECHECK
        local function leave() redis.pcall('ZADD', wake, 'NX', recheck, id) end
        local function take(me, token, held)
          redis.pcall('HSET', by_token, token, held .. id)
          redis.pcall('ZADD', permits, 0, key .. '\n' .. me .. '\n' .. token)
          if not rate then return id end
          next, every = next_start(rate, redis.pcall('HGET', rates, id), now)
          redis.pcall('HSET', rates, id, whole(next + every))
          return id .. '\n' .. whole(next + every) .. '\n' .. whole(next)
        end
        if alone and handing and not handing[payload] then
          handing[payload] = {take = take, leave = leave}
        else
          leave()
        end
      end
    end

    local tokens, released = {}, {}
    local last, mine, own, holder
    for number, at in ipairs(entries) do
      if at ~= last then
        local k = first_key + tonumber(ARGV[at])
        mine, own = tokens[KEYS[k + 2]] or {}, released[KEYS[k]] or {parked = KEYS[k + 1], permits = {}, entries = {}}
        tokens[KEYS[k + 2]], released[KEYS[k]] = mine, own
        holder, last = ARGV[at + 2] .. '\n' .. ARGV[at + 3] .. '\n', at
      end
      local size = #own.permits + 1
      mine[#mine + 1] = of[number]
      own.permits[size], own.entries[size] = holder .. of[number], number
    end
    for by_token, some in pairs(tokens) do redis.pcall('HDEL', by_token, unpack(some)) end
    local waited_for, any = {}, false
    for permits, own in pairs(released) do
      local held = redis.pcall('EXISTS', own.parked) == 1 and redis.pcall('ZMSCORE', permits, unpack(own.permits)) or {}
      redis.pcall('ZREM', permits, unpack(own.permits))
      for i, number in ipairs(own.entries) do
        waited_for[number] = held[i]
        any = any or held[i]
      end
    end
    for number, at in ipairs(any and entries or {}) do
      if waited_for[number] then pass_on(first_key + tonumber(ARGV[at]), at) end
    end
    for _, at in ipairs(again and entries or {}) do -- the permit may be back, and only its successor was lost
      redis.pcall('ZADD', KEYS[first_key + tonumber(ARGV[at]) + 4], 0, ARGV[at + 1] .. '\n' .. ARGV[at + 2])
    end
  end
}
