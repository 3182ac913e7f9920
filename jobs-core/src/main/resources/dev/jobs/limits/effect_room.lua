-- A kind of effect: gives back the permit of a limit of a whole queue, whatever became of the job. Workers leave such
-- a queue alone while it is full; if it was and has room now, its bell rings for them. A claim takes first, and rings
-- only for what it leaves.
--
-- KEYS  of the group: for each queue the permits of its limit, limits by token, limits, the bell of the queue
-- ARGV  of an entry: index of its first key, from 0; name of the limit; incarnation
kinds.room = {
  arguments = 3,
  keys = 4,
  apply = function(first_key, entries, _, of)
    local released, last, some, holder = {}, nil, nil, nil
    for number, at in ipairs(entries) do
      if at ~= last then
        local k, limit = first_key + tonumber(ARGV[at]), ARGV[at + 1]
        some = released[limit]
          or {permits = KEYS[k], by_token = KEYS[k + 1], limits = KEYS[k + 2], bell = KEYS[k + 3], tokens = {}, held = {}}
        released[limit], holder, last = some, '\n' .. ARGV[at + 2] .. '\n', at
      end
      local size = #some.tokens + 1
      some.tokens[size], some.held[size] = of[number], holder .. of[number]
    end
    for limit, each in pairs(released) do
      redis.pcall('HDEL', each.by_token, unpack(each.tokens))
      local count = redis.pcall('ZREM', each.permits, unpack(each.held))
      local many = type(count) == 'number' and count > 0 and most(each.limits, limit)
      if many and out(each.permits, '') + count >= many then
        local function offer()
          if out(each.permits, '') < many then redis.pcall('PSETEX', each.bell, BELL, '1') end
        end
        if offers then offers[#offers + 1] = offer else offer() end
      end
    end
  end
}
