package dev.jobs.benchmarks.harness;

import io.lettuce.core.LMoveArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The fewest commands of calls that may be repeated after a lost answer, by workers whose crash loses no job. A push
 * remembers the number of the last one. A claim waits in Redis, behind a {@code BLMOVE} of the queue onto itself, keeps
 * the job under its number and returns the same one again. A settlement counts what it removes. There is nothing else:
 * no leases, pauses or books, and no answer to a copy of a call that arrives late.
 */
class BareCallsDriver extends BareDriver {

    private static final byte[] LAST_PUSH = bytes("last-push");
    private static final byte[] LAST_CLAIM = bytes("#");
    private static final byte[] PROCESSED = bytes("processed");
    private static final long SECONDS = 5;

    /** Its arguments are its number, and payloads. */
    private static final Call PUSH = new Call("""
            if redis.call('SET', KEYS[1], ARGV[1], 'GET') == ARGV[1] then return 0 end
            redis.call('LPUSH', KEYS[2], unpack(ARGV, 2))
            return 1
            """, LAST_PUSH, QUEUE);

    /** Its arguments are the field of the last number, and its own number, under which it keeps the job. */
    private static final Call CLAIM = new Call("""
            if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HGET', KEYS[1], ARGV[2]) end
            local job = redis.call('RPOP', KEYS[2])
            if job then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], ARGV[2], job) end
            return job
            """, IN_PROGRESS, QUEUE);

    /** Its argument is the number of the claim. */
    private static final Call SETTLE = new Call("""
            if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
            return redis.call('INCR', KEYS[2])
            """, IN_PROGRESS, PROCESSED);

    private final Call push;
    private final Call claim;
    private final Call settle;
    private final String pushScript;
    private long pushes;

    BareCallsDriver(String uri) {
        this(uri, PUSH, CLAIM, SETTLE);
    }

    private BareCallsDriver(String uri, Call push, Call claim, Call settle) {
        super(uri);
        this.push = push;
        this.claim = claim;
        this.settle = settle;
        this.pushScript = producer().scriptLoad(push.script());
    }

    private record Call(String script, byte[]... keys) {}

    /**
     * The commands that this library runs for a job that meets an idle worker, in the smallest scripts: with its leases,
     * pauses and books, and nothing but that path.
     */
    static final class SameCommands extends BareCallsDriver {

        private static final byte[] LEASES = bytes("leases");
        private static final byte[] LEDGER = bytes("ledger");

        private static final Call PUSH = new Call("""
                if redis.call('HGET', KEYS[1], '0') == ARGV[1] then return 0 end
                if redis.call('LPUSH', KEYS[2], unpack(ARGV, 2)) == #ARGV - 1 then
                  redis.call('SADD', KEYS[3], 'default')
                end
                redis.call('HSET', KEYS[1], '0', ARGV[1])
                return 1
                """, LAST_PUSH, QUEUE, bytes("queues"));

        private static final Call CLAIM = new Call("""
                if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HGET', KEYS[1], ARGV[2]) end
                if not redis.call('ZSCORE', KEYS[3], 'worker') then return nil end
                redis.call('HDEL', KEYS[1], '')
                if redis.call('EXISTS', KEYS[4], KEYS[5]) ~= 0 then return nil end
                local job = redis.call('LRANGE', KEYS[2], -1, -1)[1]
                if not job then return nil end
                redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], ARGV[2], job)
                redis.call('HINCRBY', KEYS[6], 'claimed', 1)
                redis.call('LTRIM', KEYS[2], 0, -2)
                return job
                """, IN_PROGRESS, QUEUE, LEASES, bytes("paused"), bytes("recovered"), LEDGER);

        private static final Call SETTLE = new Call("""
                if redis.call('HGET', KEYS[1], 'last') == ARGV[1] then return 0 end
                if not redis.call('ZSCORE', KEYS[2], 'worker') then return 0 end
                local done = redis.call('HDEL', KEYS[1], ARGV[1])
                redis.call('HINCRBY', KEYS[3], 'acked', done)
                redis.call('INCRBY', KEYS[4], done)
                redis.call('INCRBY', KEYS[5], done)
                redis.call('HSET', KEYS[1], 'last', ARGV[1])
                return done
                """, IN_PROGRESS, LEASES, LEDGER, PROCESSED, bytes("processed:today"));

        SameCommands(String uri) {
            super(uri, PUSH, CLAIM, SETTLE);
        }

        @Override
        public String description() {
            return "the commands of this library for a job of an idle worker, in the smallest scripts";
        }

        @Override
        void start(int concurrency) {
            producer().zadd(LEASES, 1, bytes("worker"));
            super.start(concurrency);
        }
    }

    /** A job and the number under which it is kept. */
    private record Claimed(byte[] number, byte[] payload) {}

    @Override
    public String description() {
        return "the fewest commands of calls that may be repeated, with a claim that waits in Redis";
    }

    @Override
    void push(byte[]... payloads) {
        byte[][] arguments = new byte[payloads.length + 1][];
        arguments[0] = bytes(Long.toString(++pushes));
        System.arraycopy(payloads, 0, arguments, 1, payloads.length);
        producer().evalsha(pushScript, ScriptOutputType.INTEGER, push.keys(), arguments);
    }

    @Override
    void start(int concurrency) {
        BlockingQueue<Claimed> handOver = new LinkedBlockingQueue<>();
        RedisCommands<byte[], byte[]> settlements = connect().sync();
        String script = settlements.scriptLoad(settle.script());
        for (int i = 0; i < concurrency; i++) {
            thread(() -> {
                while (true) {
                    Claimed job = handOver.take();
                    perform(job.payload());
                    settlements.evalsha(script, ScriptOutputType.INTEGER, settle.keys(), job.number());
                }
            });
        }
        StatefulRedisConnection<byte[], byte[]> connection = connect();
        claim(connection.async(), connection.sync().scriptLoad(claim.script()), 1, handOver);
    }

    /** The connection's thread hands over the job and leaves the next claim, until the connection is closed. */
    private void claim(
            RedisAsyncCommands<byte[], byte[]> commands, String script, long call, BlockingQueue<Claimed> handOver) {
        byte[] number = bytes(Long.toString(call));
        commands.blmove(QUEUE, QUEUE, LMoveArgs.Builder.rightRight(), SECONDS);
        commands.<byte[]>evalsha(script, ScriptOutputType.VALUE, claim.keys(), LAST_CLAIM, number)
                .thenAccept(payload -> {
                    if (payload != null) {
                        handOver.add(new Claimed(number, payload));
                    }
                    claim(commands, script, call + 1, handOver);
                });
    }
}
