-- Shared: what a job must meet to be run. It is asked before the job takes anything that others need.
--
-- conditions  words, each behind a blank:
--             eTIME   it expires then: microseconds of the server's clock
--             bBATCH  its batch must not be cancelled
--             jJID    it must not be cancelled itself
--             iJID    nothing: only names a job that may be replaced and ends in its own way when it is cancelled
--
-- unmet(conditions, cancelled, batches)  Returns 'skipped', 'cancelled' or 'expired' if the job must not be run, else
--                                        nil. cancelled holds cancelled jobs, batches cancelled batches; both are
--                                        sorted sets, and one that can't be read cancels nothing.
local conditions_at, has_any = nil, {}

local function is_any(key)
  if has_any[key] == nil then has_any[key] = redis.pcall('EXISTS', key) == 1 end
  return has_any[key]
end

local function is_member(key, member) return is_any(key) and type(redis.pcall('ZSCORE', key, member)) == 'string' end

local function unmet(conditions, cancelled, batches)
  local expires = string.find(conditions, ' e', 1, true)
  if not expires and not is_any(cancelled) and not is_any(batches) then return nil end -- of nearly all jobs
  for kind, value in string.gmatch(conditions, ' (%l)(%S+)') do
    if kind == 'b' and is_member(batches, value) then return 'skipped' end
    if kind == 'j' and is_member(cancelled, value) then return 'cancelled' end
    if kind == 'e' then
      conditions_at = conditions_at or micros()
      if conditions_at > tonumber(value) then return 'expired' end
    end
  end
  return nil
end
