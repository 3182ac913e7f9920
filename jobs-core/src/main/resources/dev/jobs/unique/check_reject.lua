-- A kind of check: takes the lock of a unique job; if another job holds it, stores the job in the dead set instead.
--
-- KEYS  of a check: the lock  dead
-- ARGV  of a check: jid, milliseconds that the lock lasts at most, dead set: entries at most, dead set: seconds kept,
--       the job as it is kept there, up to the jid of the job that holds the lock, and behind that
-- The reason is 'buried:' and the jid of the job that holds the lock.
checks.reject = {
  arguments = 6,
  refuse = function(key, at, index)
    local holder = redis.call('GET', key)
    redis.call('ZCARD', KEYS[index + 1])
    return holder and holder ~= ARGV[at] and refusal('buried', holder) or nil
  end,
  divert = function(_, at, index, _, reason)
    local holder = string.gsub(string.sub(reason, 8), '[^%w_-]', '?')
    bury(KEYS[index + 1], ARGV[at + 4] .. holder .. ARGV[at + 5], redis.call('TIME'), ARGV[at + 2], ARGV[at + 3])
  end,
  stored = function(key, at) redis.pcall('SET', key, ARGV[at], 'PX', ARGV[at + 1]) end
}
