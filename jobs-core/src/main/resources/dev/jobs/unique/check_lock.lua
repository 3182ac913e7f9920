-- A kind of check: takes the lock of a unique job; refuses the job while another one holds the lock.
--
-- KEYS  of a check: the lock, a string: the jid of the job that holds it
-- ARGV  of a check: jid, milliseconds that the lock lasts at most
-- The reason is 'locked:' and the jid of the job that holds the lock.
checks.lock = {
  arguments = 2,
  refuse = function(key, at)
    local holder = redis.call('GET', key)
    return holder and holder ~= ARGV[at] and refusal('locked', holder) or nil
  end,
  stored = function(key, at) redis.pcall('SET', key, ARGV[at], 'PX', ARGV[at + 1]) end
}
