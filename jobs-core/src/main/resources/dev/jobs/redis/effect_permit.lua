-- A kind of effect: gives back a permit of a limit, whatever became of the job, and lets the first parked job of
-- that key go to the front of its queue, if that is the queue of this job and not paused. Otherwise the leader looks at
-- the key at once. A claim gives the permit to such a job if it takes it in this very call; otherwise it is asked later
-- whether the job took it.
--
-- KEYS  of the group: for each limit and queue its permits, its parked jobs, limits by token, limits, limits to look
--       at, the queue list, queues, paused
-- ARGV  of an entry: index of its first key, from 0; name of the limit; key; incarnation; token; name of the queue
kinds.permit = {
  arguments = 6,
  apply = function(first_key, entries)
    local passed, time = {}, nil
    for _, at in ipairs(entries) do
      local k = first_key + tonumber(ARGV[at])
      local permits, parked, by_token, limits, wake, list = KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], KEYS[k + 4], KEYS[k + 5]
      local limit, key, me, token, queue = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
      redis.pcall('HDEL', by_token, token)
      local place = limit .. '\n' .. key
      local next_one = redis.pcall('ZREM', permits, key .. '\n' .. me .. '\n' .. token) == 1 and first(parked, key, 1)[1]
      local many = next_one and most(limits, limit)
      if next_one and (not many or out(permits, key) + (passed[place] or 0) < many) then
        local its_queue, alone, payload = parts(next_one)
        local kind = redis.pcall('TYPE', list)['ok']
        if its_queue ~= queue or is_paused(KEYS[k + 7], queue) or kind ~= 'list' and kind ~= 'none' then
          redis.pcall('ZADD', wake, 0, place)
        elseif type(redis.pcall('RPUSH', list, payload)) == 'number' then
          redis.pcall('ZREM', parked, next_one)
          redis.pcall('SADD', KEYS[k + 6], queue)
          passed[place] = (passed[place] or 0) + 1
          time = time or redis.pcall('TIME')[1] or 0
          local handed = {permits = permits, by_token = by_token, place = place, key = key, wake = wake, at = time + RECHECK}
          if alone and handing and not handing[payload] then
            handing[payload] = handed
          else
            redis.pcall('ZADD', wake, 'NX', handed.at, place)
          end
        end
      end
    end
  end
}
