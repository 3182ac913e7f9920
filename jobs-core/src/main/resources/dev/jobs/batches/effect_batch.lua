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
--       A brief entry has the position: of a job that a worker held, without texts. Its keys are those of one batch.
--       Most jobs of a batch end as they come, so a run of positions takes one step.
--
-- Tables and functions are made when there is something to apply: calls without batches must not pay for them.
local function batch_effects()
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
  local GOES_BACK = {
    handed_back = true, interrupted = true, postponed = true, recovered = true, transferred = true, queue = true, set = true
  }
  local RUNS = {q = 'w', r = 'v', w = 'w', v = 'v'}
  local WAITS = {w = 'q', v = 'r', q = 'q', r = 'r'}
  local Q, R, S = string.byte('qrs', 1, 3)
  local MOST_TEXT = 12000 -- bytes of the messages of a job
  local WORTH_A_STEP = 4 -- jobs of a run

  -- Returns the state of a job after an outcome. One that this version doesn't know changes nothing and counts as an
  -- error, so that another version may apply it: a guess could end a batch too early, or never.
  local function after(outcome, state, comes_back, if_poisoned, counters)
    if state == 's' or state == 'f' then return state end
    if outcome == 'poisoned' then return if_poisoned end
    if BECOMES[outcome] then return BECOMES[outcome] end
    if outcome ~= 'noted' and not GOES_BACK[outcome] then
      failed = failed or {}
      failed[0] = true
      return state
    end
    if PENDING[CLASS[state]] then
      if outcome == 'noted' then return RUNS[state] end
      if outcome == 'queue' or outcome == 'set' then return state end
      return WAITS[state]
    end
    if outcome == 'noted' then return 'v' end
    if CLASS[state] == 'dead' or redis.pcall('HEXISTS', counters, 'attempted') == 1 then return 'r' end
    return comes_back
  end

  -- Reads the states at some positions, in one step if they are close together. Returns their codes by position minus
  -- base; base; and a function that writes the codes at some indexes. Returns nil if they can't be read.
  local function states_at(key, positions)
    local low, high = math.huge, -1
    for _, position in ipairs(positions) do
      if position < low then low = position end
      if position > high then high = position end
    end
    local base = low - 1
    if high - low < 4000 and high - low < 40 * #positions then
      local span = redis.pcall('GETRANGE', key, low, high)
      if type(span) ~= 'string' then return nil end
      local codes = {string.byte(span, 1, -1)}
      return codes, base, function() return redis.pcall('SETRANGE', key, low, string.char(unpack(codes))) end
    end
    local codes = {}
    for _, position in ipairs(positions) do
      local found = redis.pcall('GETRANGE', key, position, position)
      codes[position - base] = type(found) == 'string' and string.byte(found) or nil
    end
    return codes, base, function(changed)
      local written
      for index in pairs(changed) do
        written = redis.pcall('SETRANGE', key, base + index, string.char(codes[index]))
        if type(written) == 'table' then return written end
      end
      return written
    end
  end

  -- Messages of an execution that runs are replaced by each note; when it ends they join those of earlier executions.
  local function write_texts(texts, position, outcome, state, ran, at)
    local messages, result, progress = '', '', ''
    if at then messages, result, progress = ARGV[at + 3], ARGV[at + 4], ARGV[at + 5] end
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

  -- Applies the entries of one batch, all of jobs at positions or all of callbacks at fields; at[i] is the index in
  -- ARGV of an entry's first argument. Or runs of brief ones, while positions is empty.
  return function(first_key, are_callbacks, positions, outcomes, at, runs)
    local counters, states, texts, rest = KEYS[first_key], KEYS[first_key + 1], KEYS[first_key + 2], KEYS[first_key + 3]
    local total = redis.pcall('HGET', counters, 'total')
    if type(total) ~= 'string' then return end -- forgotten, or no batch: nothing is created
    local by, wants_look, over = {}, false, {}

    -- Returns the next state, the class of the one before, and that one without a doubt; nil if there is none.
    local function next_state(found, outcome, entry)
      local state = DOUBTED[found] or found
      local class = CLASS[state]
      if not class then return nil end
      local letters = entry and ARGV[entry + 2] or 'rd'
      local now = after(outcome, state, string.sub(letters, 1, 1), string.sub(letters, 2, 2), counters)
      if PENDING[CLASS[now]] and not PENDING[class] then wants_look = true end
      return now, class, state
    end

    local function count(class, becomes, jobs)
      by[class] = (by[class] or 0) - jobs
      by[becomes] = (by[becomes] or 0) + jobs
    end

    local function end_callback(field, outcome, entry)
      local found = redis.pcall('HGET', counters, field)
      local now, class = next_state(found, outcome, entry)
      if not now or now == found then return end
      redis.pcall('HSET', counters, field, now)
      if class ~= CLASS[now] then wants_look = true end
    end

    -- Returns the code of the job's next state.
    local function end_job(position, code, outcome, entry)
      local now, class, state = next_state(string.char(code), outcome, entry)
      if not now then return code end
      local ran = RUNS[state] == state
      if class ~= CLASS[now] then count(class, CLASS[now], 1) end
      if entry or ran then write_texts(texts, position, outcome, now, ran, entry) end
      if ran and now ~= state then
        over[#over + 1] = 'n' .. position
        over[#over + 1] = 'p' .. position
      end
      return string.byte(now)
    end

    -- Most jobs: done before anything was noted of them, and without texts. Returns whether all of a long run are such.
    local function end_run(run)
      local jobs = run.last - run.first + 1
      if run.outcome ~= 'done' or jobs < WORTH_A_STEP then return false end
      local found = redis.pcall('GETRANGE', states, run.first, run.last)
      local class = found == string.rep('q', jobs) and 'fresh' or found == string.rep('r', jobs) and 'again'
      if not class then return false end
      if type(redis.pcall('SETRANGE', states, run.first, string.rep('s', jobs))) ~= 'table' then
        count(class, 'ok', jobs)
      end
      return true
    end

    -- Returns whether the states were written.
    local function end_jobs()
      local codes, base, write = states_at(states, positions)
      if not codes then return false end
      local changed, fresh, again = {}, 0, 0
      for i, position in ipairs(positions) do
        local index, entry = position - base, at[i]
        local code = codes[index]
        local now = code
        if outcomes[i] == 'done' and not entry and (code == Q or code == R) then
          now = S
          if code == Q then fresh = fresh + 1 else again = again + 1 end
        elseif code then
          now = end_job(position, code, outcomes[i], entry)
        end
        if now ~= code then codes[index], changed[index] = now, true end
      end
      count('fresh', 'ok', fresh)
      count('again', 'ok', again)
      local written = next(changed) and write(changed)
      return type(written) ~= 'table'
    end

    for _, run in ipairs(runs or {}) do
      if not end_run(run) then
        for position = run.first, run.last do
          positions[#positions + 1], outcomes[#positions + 1] = position, run.outcome
        end
      end
    end
    if are_callbacks then
      for i, field in ipairs(positions) do end_callback(field, outcomes[i], at[i]) end
    elseif #positions > 0 and not end_jobs() then
      return -- what isn't written isn't counted; nor was any run, for the same reason
    end
    if #over > 0 then redis.pcall('HDEL', texts, unpack(over)) end
    for class, difference in pairs(by) do
      if difference ~= 0 then
        local now = redis.pcall('HINCRBY', counters, class, difference)
        if now == 0 and class ~= 'again' or class == 'dead' and now == difference then
          wants_look = true
        elseif class == 'again' and now == 0 then
          wants_look = wants_look or redis.pcall('HGET', counters, 'fresh') == '0'
        end
      end
    end
    if wants_look or again then redis.pcall('ZADD', rest, 'NX', redis.call('TIME')[1], string.sub(counters, -16)) end
  end
end

kinds.batch = {
  arguments = 6,
  keys = 4,
  apply = function(first_key, entries, outcomes)
    local apply_to, groups = batch_effects(), {}
    for i, at in ipairs(entries) do
      local key, position = first_key + tonumber(ARGV[at]), tonumber(ARGV[at + 1])
      local name = (position and 'job ' or 'callback ') .. key
      local group = groups[name] or {key = key, are_callbacks = not position, positions = {}, outcomes = {}, at = {}}
      groups[name] = group
      table.insert(group.positions, position or ARGV[at + 1])
      table.insert(group.outcomes, outcomes[i])
      table.insert(group.at, at)
    end
    for _, group in pairs(groups) do
      apply_to(group.key, group.are_callbacks, group.positions, group.outcomes, group.at)
    end
  end,
  apply_brief = function(first_key, runs) batch_effects()(first_key, false, {}, {}, {}, runs) end
}
