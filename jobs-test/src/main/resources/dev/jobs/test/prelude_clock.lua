-- Before every script in tests: lets TIME answer by the test's clock, which is the server's plus the microseconds in
-- the key jobs:test:clock. A test advances it (TestClock).
local redis = (function(server)
  local function timed(call)
    return function(command, ...)
      if command ~= 'TIME' then return call(command, ...) end
      local time = call('TIME')
      local ahead = server.pcall('GET', 'jobs:test:clock')
      if type(ahead) ~= 'string' then return time end
      local seconds, micros = string.match(ahead, '^(%d+) (%d+)$')
      local sum = tonumber(time[2]) + tonumber(micros)
      return {string.format('%.0f', tonumber(time[1]) + tonumber(seconds) + math.floor(sum / 1000000)),
              string.format('%.0f', sum % 1000000)}
    end
  end
  return setmetatable({call = timed(server.call), pcall = timed(server.pcall)}, {__index = server})
end)(redis)
