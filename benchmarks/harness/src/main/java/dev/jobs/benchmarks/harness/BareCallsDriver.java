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
final class BareCallsDriver extends BareDriver {

    private static final byte[] LAST_PUSH = bytes("last-push");
    private static final byte[] LAST_CLAIM = bytes("#");
    private static final byte[] PROCESSED = bytes("processed");
    private static final long SECONDS = 5;

    private static final String PUSH = """
            if redis.call('SET', KEYS[1], ARGV[1], 'GET') == ARGV[1] then return 0 end
            redis.call('LPUSH', KEYS[2], unpack(ARGV, 2))
            return 1
            """;
    private static final String CLAIM = """
            if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HGET', KEYS[1], ARGV[2]) end
            local job = redis.call('RPOP', KEYS[2])
            if job then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], ARGV[2], job) end
            return job
            """;
    private static final String SETTLE = """
            if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
            return redis.call('INCR', KEYS[2])
            """;

    private final String push;
    private long pushes;

    BareCallsDriver(String uri) {
        super(uri);
        push = producer().scriptLoad(PUSH);
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
        producer().evalsha(push, ScriptOutputType.INTEGER, new byte[][] {LAST_PUSH, QUEUE}, arguments);
    }

    @Override
    void start(int concurrency) {
        BlockingQueue<Claimed> handOver = new LinkedBlockingQueue<>();
        RedisCommands<byte[], byte[]> settlements = connect().sync();
        String settle = settlements.scriptLoad(SETTLE);
        for (int i = 0; i < concurrency; i++) {
            thread(() -> {
                while (true) {
                    Claimed job = handOver.take();
                    perform(job.payload());
                    settlements.evalsha(
                            settle, ScriptOutputType.INTEGER, new byte[][] {IN_PROGRESS, PROCESSED}, job.number());
                }
            });
        }
        StatefulRedisConnection<byte[], byte[]> connection = connect();
        claim(connection.async(), connection.sync().scriptLoad(CLAIM), 1, handOver);
    }

    /** The connection's thread hands over the job and leaves the next claim, until the connection is closed. */
    private static void claim(
            RedisAsyncCommands<byte[], byte[]> commands, String script, long call, BlockingQueue<Claimed> handOver) {
        byte[] number = bytes(Long.toString(call));
        commands.blmove(QUEUE, QUEUE, LMoveArgs.Builder.rightRight(), SECONDS);
        commands.<byte[]>evalsha(script, ScriptOutputType.VALUE, new byte[][] {IN_PROGRESS, QUEUE}, LAST_CLAIM, number)
                .thenAccept(payload -> {
                    if (payload != null) {
                        handOver.add(new Claimed(number, payload));
                    }
                    claim(commands, script, call + 1, handOver);
                });
    }
}
