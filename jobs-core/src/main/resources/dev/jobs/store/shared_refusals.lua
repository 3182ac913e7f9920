-- Shared: words for what checks refuse.
--
-- refusal(word, holder)  Returns the word, a colon, and the jid of the job that holds a lock, as far as a reason, which
--                        has no blanks, can tell it.
local function refusal(word, holder)
  return word .. ':' .. string.gsub(string.sub(holder, 1, 64), '[%s%c]', '?')
end
