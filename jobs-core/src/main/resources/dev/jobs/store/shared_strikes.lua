-- Shared: how often jobs outlived their workers. recovered is a hash of counts by the digest of the payload. The digest
-- of a long payload costs more than all other work for the job, so a recovered job with a long payload also has a
-- sample: a field which shows that a payload of this length, beginning and end was recovered.
--
-- sample(payload)             Returns the name of that field; nil for a short payload.
-- strikes(recovered, payload) Returns how often the job was recovered.
local SHORT = 256

local function sample(payload)
  if #payload <= SHORT then return nil end
  return '#' .. string.sub(redis.sha1hex(#payload .. ':' .. string.sub(payload, 1, 64) .. string.sub(payload, -128)), 1, 12)
end

local function strikes(recovered, payload)
  local field = sample(payload)
  if field and redis.pcall('HEXISTS', recovered, field) == 0 then return 0 end
  local count = redis.pcall('HGET', recovered, redis.sha1hex(payload))
  return type(count) == 'string' and tonumber(count) or 0
end
