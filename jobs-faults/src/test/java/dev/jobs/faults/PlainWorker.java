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
 * What the engine is compared with: threads that take a job out of Redis with BRPOP and then run it. A job is nowhere but in this process while
 * it runs.
 */
final class PlainWorker {

    private static final long BLOCK_SECONDS = 1;

    private final WorkerSettings settings;
    private final Journal journal;

    PlainWorker(WorkerSettings settings, Journal journal) {
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
                // it goes on with the next one, as such loops do
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
