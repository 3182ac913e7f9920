-- Shared: cancels a job.
--
-- cancel(iteration, cancelled, now, kept, jid, most)  The keys and the arguments of the script cancel, which says what they
--                                                     do. Returns when the job was cancelled first; '' if there are too
--                                                     many
local function cancel(iteration, cancelled, now, kept, jid, most)
  redis.call('HDEL', iteration, '') -- removal first: a full Redis then allows the other writes
  local clock = redis.call('TIME')
  local time = tonumber(clock[1]) + tonumber(clock[2]) / 1000000
  redis.call('ZREMRANGEBYSCORE', cancelled, '-inf', string.format('(%.6f', time - tonumber(kept)))
  if not redis.call('ZSCORE', cancelled, jid) and redis.call('ZCARD', cancelled) > tonumber(most) then return '' end
  local last = tonumber(redis.call('ZSCORE', cancelled, '') or nil)
  if last and last >= time then time = last + 0.000001 end
  local at = string.format('%.6f', time)
  redis.call('ZADD', cancelled, at, jid, at, '')
  redis.call('EXPIRE', cancelled, kept)
  redis.call('HSETNX', iteration, 'cancelled', now)
  redis.call('HSETNX', iteration, 'c', 'null')
  if redis.call('TTL', iteration) < 0 then redis.call('EXPIRE', iteration, kept) end -- Redis 6.2 has no NX here
  return redis.call('HGET', iteration, 'cancelled')
end
