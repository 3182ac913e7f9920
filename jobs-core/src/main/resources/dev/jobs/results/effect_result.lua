-- A kind of effect: keeps how a job ended, and tells the client that waits for it. The text comes from the worker that
-- ran the job; for a job that ended without one, it is made here. Of a job that begins again only that is kept: its
-- client may not have read yet that it was told of the former end.
--
-- KEYS  of the group: for each job one or two: its result, the list of its client
-- ARGV  of an entry: index of its first key, from 0; its jid, or '' if no client waits; milliseconds that the result is
--       kept; its state if it is poisoned; the result, or '' if no worker ran the job. A result is a JSON object whose
--       first member is the state
kinds.result = {
  arguments = 5,
  keys = function(at) return ARGV[at + 1] == '' and 1 or 2 end,
  apply = function(first_key, entries, outcomes)
    local MOST = 10000 -- jids in the list of a client that doesn't read it
    local TOLD_MILLIS = 60000
    local ENDS = {
      dead = '"dead","message":"It was killed"',
      poisoned = '","message":"Its workers died while they ran it"',
      deleted = '"deleted"',
      refused = '"deleted","message":"An enqueue middleware refused it when it was due"'
    }
    local told = {}

    local NOT_ENDED = 'r' -- retried and revived are the only states that begin so

    -- The first letter of the state that is kept; '' if there is none.
    local function kept(key)
      local letter = redis.pcall('GETRANGE', key, 10, 10) -- behind {"state":"
      return type(letter) == 'string' and letter or ''
    end

    local function keep(first, at, text, is_end)
      if not again or kept(KEYS[first]) == '' or kept(KEYS[first]) == NOT_ENDED then
        redis.pcall('SET', KEYS[first], text, 'PX', ARGV[at + 2])
      end
      local jid = ARGV[at + 1]
      if not is_end or jid == '' then return end
      local list = KEYS[first + 1]
      local jids = told[list] or {}
      told[list] = jids
      jids[#jids + 1] = jid
    end

    for i, at in ipairs(entries) do
      current = i
      local outcome, first, text = outcomes[i], first_key + tonumber(ARGV[at]), ARGV[at + 4]
      if text ~= '' then
        keep(first, at, text, outcome ~= 'retried')
      elseif ENDS[outcome] then
        local before = kept(KEYS[first])
        if before == '' or before == NOT_ENDED then -- a dead job that is deleted stays dead
          local poisoned = outcome == 'poisoned' and '"' .. ARGV[at + 3] or ''
          keep(first, at, '{"state":' .. poisoned .. ENDS[outcome] .. '}', true)
        end
      elseif outcome == 'queue' or outcome == 'set' then
        local before = kept(KEYS[first])
        if before ~= '' and before ~= NOT_ENDED then keep(first, at, '{"state":"revived"}', false) end
      end
    end
    current = nil
    for list, jids in pairs(told) do
      local length = redis.pcall('RPUSH', list, unpack(jids))
      if type(length) == 'number' and length > MOST then
        redis.pcall('UNLINK', list)
        redis.pcall('RPUSH', list, '') -- too many to name: the client looks at all that it waits for
      end
      redis.pcall('PEXPIRE', list, TOLD_MILLIS)
    end
  end
}
