-- Makes an effect again that met an error, in the step that takes its note from the list. If it meets an error again, it
-- is noted again, with the time of the first note.
--
-- KEYS  1 the list of lost effects, then keys of effects
-- ARGV  1 the note, the first of the list  2 outcome of its job  3 token of its job  4 time of the note, or '' to drop it
--       then effects
-- Returns 1, or 0 if another process has taken it
if redis.call('LINDEX', KEYS[1], 0) ~= ARGV[1] then return 0 end
redis.call('LPOP', KEYS[1])
if ARGV[4] == '' then return 1 end
again = ARGV[4]
local failure = each(1, 5, function() return ARGV[2], ARGV[3] end)
if failure then error(failure, 0) end
return 1
