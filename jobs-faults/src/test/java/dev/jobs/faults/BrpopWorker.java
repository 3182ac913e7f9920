package dev.jobs.faults;

import dev.jobs.Payload;
import dev.jobs.faults.Journal.Event;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The engine is compared with this: threads that take a job from Redis with BRPOP and then run it. While a job runs, it
 * exists only in this process.
 */
final class BrpopWorker {

    private static final long BLOCK_SECONDS = 1;

    private final WorkerSettings settings;
    private final Journal journal;

    BrpopWorker(WorkerSettings settings, Journal journal) {
        this.settings = settings;
        this.journal = journal;
    }

    void start() {
        RedisClient client = RedisClient.create(WorkerMain.uri(settings));
        for (int i = 0; i < settings.concurrency(); i++) {
            new Thread(() -> run(client.connect(ByteArrayCodec.INSTANCE).sync()), "plain-" + i).start();
        }
    }

    private void run(RedisCommands<byte[], byte[]> redis) {
        byte[][] keys = settings.queues().stream()
                .map(queue -> ("queue:" + queue).getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        while (true) {
            try {
                KeyValue<byte[], byte[]> taken = redis.brpop(BLOCK_SECONDS, keys);
                if (taken != null) {
                    perform(Payload.parse(taken.getValue()));
                }
            } catch (RedisException e) {
                // continues with the next job, as such loops do
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void perform(Payload payload) throws InterruptedException {
        List<?> arguments = (List<?>) payload.asMap().get("args");
        journal.note(Event.START, payload.jid(), 1);
        TimeUnit.MILLISECONDS.sleep(((Number) arguments.get(0)).longValue());
        journal.note(Event.FINISH, payload.jid(), 1);
    }
}
