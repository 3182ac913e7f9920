-- A kind of effect: changes the state of a job in its batch, and the batch's counters by what changed.
--
-- A state is one character. Waiting: q (never ran to an end), r (has failed before). Running: w, v (has failed before).
-- Ended: s succeeded, f failed for a reason of the business, d dead, x discarded, k skipped, l lost. s and f never
-- change. A capital letter is that of a waiting or running job that an audit has not found: every effect turns it back,
-- so that the audit notices each job that moves. Counters are derived from the old and the new state alone, so nothing
-- is counted twice.
--
-- KEYS  of the group: for each batch four: its counters, the states of its jobs, the texts of its jobs, the batches
--       that want a look
-- ARGV  of an entry: index of its first key, from 0; the job's position in the states, or for a callback its field
--       among the counters; the state for a job that comes back and the one for a poisoned job, as two characters;
--       messages to add, JSON values separated by commas; the result; the progress
--
-- Tables and functions are made when there is something to apply: calls without batches must not pay for them.
kinds.batch = {
  arguments = 6,
  apply = function(first_key, entries, outcomes)
    local CLASS = {
      q = 'fresh', w = 'fresh', r = 'again', v = 'again',
      s = 'ok', f = 'failed', d = 'dead', x = 'dead', k = 'skipped', l = 'lost'
    }
    local DOUBTED = {Q = 'q', W = 'w', R = 'r', V = 'v'}
    local PENDING = {fresh = true, again = true}
    local BECOMES = {
      done = 's', failed = 'f', retried = 'r', dead = 'd', discarded = 'x', skipped = 'k', deleted = 'k', refused = 'k',
      lost = 'l'
    }
    local RUNS = {q = 'w', r = 'v', w = 'w', v = 'v'}
    local WAITS = {w = 'q', v = 'r', q = 'q', r = 'r'}
    local MOST_TEXT = 12000 -- bytes of the messages of a job

    -- Returns the state of a job after an outcome.
    local function after(outcome, state, comes_back, if_poisoned, counters)
      if state == 's' or state == 'f' then return state end
      if outcome == 'poisoned' then return if_poisoned end
      if BECOMES[outcome] then return BECOMES[outcome] end
      if PENDING[CLASS[state]] then
        if outcome == 'noted' then return RUNS[state] end
        if outcome == 'queue' or outcome == 'set' then return state end
        return WAITS[state]
      end
      if outcome == 'noted' then return 'v' end
      if CLASS[state] == 'dead' or redis.pcall('HEXISTS', counters, 'attempted') == 1 then return 'r' end
      return comes_back
    end

    -- Reads and writes the states at some positions, in one step if they are close together.
    local function states_at(key, positions)
      local low, high = math.huge, -1
      for _, position in ipairs(positions) do low, high = math.min(low, position), math.max(high, position) end
      local close = high - low < 4000 and high - low < 40 * #positions
      local span = close and redis.pcall('GETRANGE', key, low, high)
      if span and type(span) ~= 'string' then return nil end
      local bytes, changed = close and {string.byte(span, 1, -1)}, {}
      return {
        get = function(position)
          if close then return bytes[position - low + 1] and string.char(bytes[position - low + 1]) or '\0' end
          if changed[position] then return changed[position] end
          local found = redis.pcall('GETRANGE', key, position, position)
          return type(found) == 'string' and found ~= '' and found or '\0'
        end,
        set = function(position, state)
          if close then bytes[position - low + 1] = string.byte(state) end
          changed[position] = state
        end,
        write = function()
          if close and next(changed) then return redis.pcall('SETRANGE', key, low, string.char(unpack(bytes))) end
          local written = true
          for position, state in pairs(changed) do
            written = redis.pcall('SETRANGE', key, position, state)
            if type(written) == 'table' then return written end
          end
          return written
        end
      }
    end

    -- Messages of an execution that runs are replaced by each note; when it ends they join those of earlier executions.
    local function write_texts(texts, position, outcome, state, ran, at)
      local messages, result, progress = ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
      if outcome == 'noted' then
        if messages ~= '' then redis.pcall('HSET', texts, 'n' .. position, messages) end
        if progress ~= '' then redis.pcall('HSET', texts, 'p' .. position, progress) end
        return
      end
      if messages == '' and ran then
        local noted = redis.pcall('HGET', texts, 'n' .. position)
        if type(noted) == 'string' then messages = noted end
      end
      if messages ~= '' then
        local before = redis.pcall('HGET', texts, 'm' .. position)
        if type(before) == 'string' then messages = before .. ',' .. messages end
        if #messages <= MOST_TEXT then redis.pcall('HSET', texts, 'm' .. position, messages) end
      end
      if result ~= '' and state == 's' then redis.pcall('HSET', texts, 'r' .. position, result) end
    end

    -- Applies the entries of one batch.
    local function apply_to(first_key, group)
      local counters, states, texts, rest = KEYS[first_key], KEYS[first_key + 1], KEYS[first_key + 2], KEYS[first_key + 3]
      local total = redis.pcall('HGET', counters, 'total')
      if type(total) ~= 'string' then return end -- forgotten, or no batch: nothing is created
      local positions = {}
      for _, entry in ipairs(group) do positions[#positions + 1] = tonumber(ARGV[entry.at + 1]) end
      local bytes = #positions > 0 and states_at(states, positions)
      local by, wants_look, over = {}, false, {}
      for _, entry in ipairs(group) do
        local position, letters = ARGV[entry.at + 1], ARGV[entry.at + 2]
        local number = tonumber(position)
        local found = number and bytes and bytes.get(number) or not number and redis.pcall('HGET', counters, position)
        local state = DOUBTED[found] or found
        local class = CLASS[state]
        if class then
          local now = after(entry.outcome, state, string.sub(letters, 1, 1), string.sub(letters, 2, 2), counters)
          local becomes = CLASS[now]
          local ran = RUNS[state] == state
          if PENDING[becomes] and not PENDING[class] then wants_look = true end
          if number then
            if now ~= found then bytes.set(number, now) end
            if class ~= becomes then
              by[class] = (by[class] or 0) - 1
              by[becomes] = (by[becomes] or 0) + 1
            end
            write_texts(texts, position, entry.outcome, now, ran, entry.at)
            if ran and now ~= state then
              over[#over + 1] = 'n' .. position
              over[#over + 1] = 'p' .. position
            end
          elseif now ~= found then
            redis.pcall('HSET', counters, position, now)
            if class ~= becomes then wants_look = true end
          end
        end
      end
      local written = bytes and bytes.write()
      if type(written) == 'table' and written.err then return end -- what isn't written isn't counted
      if #over > 0 then redis.pcall('HDEL', texts, unpack(over)) end
      for class, difference in pairs(by) do
        if difference ~= 0 then
          local count = redis.pcall('HINCRBY', counters, class, difference)
          if count == 0 and class ~= 'again' or class == 'dead' and count == difference then
            wants_look = true
          elseif class == 'again' and count == 0 then
            wants_look = wants_look or redis.pcall('HGET', counters, 'fresh') == '0'
          end
        end
      end
      if wants_look then redis.pcall('ZADD', rest, 'NX', redis.call('TIME')[1], string.sub(counters, -16)) end
    end

    local groups = {}
    for i, at in ipairs(entries) do
      local key = first_key + tonumber(ARGV[at])
      groups[key] = groups[key] or {}
      table.insert(groups[key], {at = at, outcome = outcomes[i]})
    end
    for key, group in pairs(groups) do apply_to(key, group) end
  end
}
