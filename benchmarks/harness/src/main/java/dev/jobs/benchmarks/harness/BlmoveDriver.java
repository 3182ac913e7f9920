package dev.jobs.benchmarks.harness;

import io.lettuce.core.LMoveArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * A common hand-written loop: each thread waits for a job with BLMOVE, runs it and removes it from the list of jobs in
 * progress.
 */
final class BlmoveDriver extends BareDriver {

    BlmoveDriver(String uri) {
        super(uri);
    }

    @Override
    public String description() {
        return "BLMOVE and LREM for each job, on a connection for each thread";
    }

    @Override
    void start(int concurrency) {
        for (int i = 0; i < concurrency; i++) {
            RedisCommands<byte[], byte[]> commands = connect().sync();
            thread(() -> {
                while (true) {
                    byte[] payload = commands.blmove(QUEUE, IN_PROGRESS, LMoveArgs.Builder.rightLeft(), 5);
                    if (payload != null) {
                        perform(payload);
                        commands.lrem(IN_PROGRESS, -1, payload);
                    }
                }
            });
        }
    }
}
