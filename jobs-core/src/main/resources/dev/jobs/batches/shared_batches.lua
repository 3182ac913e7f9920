-- Shared: judges a batch by its counters.
--
-- judge(batch, failures, skipped)  batch holds its counters by name, as texts. failures and skipped say whether such jobs
--     don't keep it from succeeding. Returns a table:
--     begun  whether its jobs may run
--     due    whether each event has come, by its number: 1 attempted | 2 finished | 3 succeeded | 4 died
--     over   a function: whether it has finished and no callback is under way, by what batch holds then
local EVENTS = {'attempted', 'finished', 'succeeded', 'died'}

local function judge(batch, failures, skipped)
  local function number(field) return tonumber(batch[field] or 0) or 0 end
  local begun = number('open') == 0 and (number('waits') == 0 or batch.cancelled)
  local attempted = begun and number('fresh') == 0
  local finished = attempted and number('fresh') + number('again') == 0 and number('children_open') == 0
  local succeeded = finished and number('dead') == 0 and number('lost') == 0 and number('children_bad') == 0
    and not batch.cancelled and (number('failed') == 0 or failures) and (number('skipped') == 0 or skipped)
  local function over()
    for event = 1, 4 do
      local state = batch['c' .. event]
      if state and string.find('qwrvQWRV', state, 1, true) then return false end
    end
    return finished
  end
  return {begun = begun, due = {attempted, finished, succeeded, number('dead') > 0}, over = over}
end
