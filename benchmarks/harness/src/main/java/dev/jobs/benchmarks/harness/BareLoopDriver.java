package dev.jobs.benchmarks.harness;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The upper bound: one thread that takes a hundred or two hundred jobs with each call of a minimal script, which also
 * settles the previous ones, and passes them on.
 */
class BareLoopDriver extends BareDriver {

    private static final String SCRIPT = """
            if #ARGV > 1 then redis.call('HDEL', KEYS[1], unpack(ARGV, 2)) end
            local jobs = redis.call('RPOP', KEYS[2], %d)
            if not jobs then return {} end
            local fields = {}
            for i = 1, #jobs do
              fields[2 * i - 1] = ARGV[1] .. ':' .. i
              fields[2 * i] = jobs[i]
            end
            redis.call('HSET', KEYS[1], unpack(fields))
            return jobs
            """;

    private final int batch;

    BareLoopDriver(String uri) {
        this(uri, 100);
    }

    private BareLoopDriver(String uri, int batch) {
        super(uri);
        this.batch = batch;
    }

    /** The one that takes two hundred. */
    static final class Larger extends BareLoopDriver {

        Larger(String uri) {
            super(uri, 200);
        }
    }

    @Override
    public final String description() {
        return "a minimal script for " + batch
                + " jobs a call, one thread that calls it, a queue to the threads that run them";
    }

    @Override
    final void start(int concurrency) {
        BlockingQueue<byte[]> handOver = new ArrayBlockingQueue<>(2 * batch);
        RedisCommands<byte[], byte[]> commands = connect().sync();
        String script = commands.scriptLoad(SCRIPT.formatted(batch));
        for (int i = 0; i < concurrency; i++) {
            thread(() -> {
                while (true) {
                    perform(handOver.take());
                }
            });
        }
        thread(() -> {
            List<byte[]> taken = List.of();
            for (int call = 0; ; call++) {
                taken = take(commands, script, call, taken.size());
                for (byte[] payload : taken) {
                    handOver.put(payload);
                }
            }
        });
    }

    private static List<byte[]> take(RedisCommands<byte[], byte[]> commands, String script, int call, int before) {
        List<byte[]> arguments = new ArrayList<>(before + 1);
        arguments.add(bytes(Integer.toString(call)));
        for (int i = 1; i <= before; i++) {
            arguments.add(bytes((call - 1) + ":" + i));
        }
        return commands.evalsha(
                script, ScriptOutputType.MULTI, new byte[][] {IN_PROGRESS, QUEUE}, arguments.toArray(byte[][]::new));
    }
}
