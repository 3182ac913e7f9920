-- A kind of effect: keeps what a job tells people while it runs: its progress, and the last lines that it logged. Lines
-- that are there already, because a call was repeated or overtaken, are left out.
--
-- KEYS  of the group: for each job two: its progress, its lines
-- ARGV  of an entry: index of its first key, from 0; the progress, or '' if it is the same as before; lines, one to a
--       line of the text
--       A line begins with the time at which its execution began, and its number in that execution.
kinds.report = {
  arguments = 3,
  keys = 2,
  apply = function(first_key, entries, outcomes)
    local MOST = 200
    local PENDING_MILLIS, ENDED_MILLIS = 604800000, 86400000 -- 7 days from the last report, 1 day from the end
    local STAYS = {
      noted = true, retried = true, postponed = true, interrupted = true, handed_back = true, recovered = true
    }

    -- Returns the lines of a text that are not in the list, whose last line is given.
    local function new_lines(text, last)
      local began, number = string.match(last, '^(%d+) (%d+) ')
      local lines = {}
      for line in string.gmatch(text, '[^\n]+') do
        local own_began, own_number = string.match(line, '^(%d+) (%d+) ')
        if own_began ~= began or tonumber(own_number) > tonumber(number) then lines[#lines + 1] = line end
      end
      return lines
    end

    for i, at in ipairs(entries) do
      current = i
      local key = first_key + tonumber(ARGV[at])
      local kept = STAYS[outcomes[i]] and PENDING_MILLIS or ENDED_MILLIS
      if ARGV[at + 1] ~= '' and not (again and redis.pcall('EXISTS', KEYS[key]) == 1) then
        redis.pcall('SET', KEYS[key], ARGV[at + 1], 'PX', kept)
      else
        redis.pcall('PEXPIRE', KEYS[key], kept)
      end
      if ARGV[at + 2] ~= '' then
        local last = redis.pcall('LINDEX', KEYS[key + 1], -1)
        local lines = new_lines(ARGV[at + 2], type(last) == 'string' and last or '')
        if #lines > 0 then
          redis.pcall('RPUSH', KEYS[key + 1], unpack(lines))
          redis.pcall('LTRIM', KEYS[key + 1], -MOST, -1)
        end
      end
      redis.pcall('PEXPIRE', KEYS[key + 1], kept)
    end
  end
}
