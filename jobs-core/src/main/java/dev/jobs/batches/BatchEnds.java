package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.ZAddArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Notes the events of batches, and decides how long their keys are kept. Thread-safe. */
@Internal
public final class BatchEnds {

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final BatchKeys names;
    private final BatchRetention kept;

    public BatchEnds(RedisConnection connection, RedisKeys keys, BatchRetention kept) {
        this.connection = connection;
        this.keys = keys;
        this.names = new BatchKeys(keys);
        this.kept = kept;
    }

    /**
     * A callback as it would be enqueued now.
     *
     * @param queue the queue that it goes to
     */
    record Callback(BatchEvent event, String queue, byte[] payload) {}

    /**
     * Looks at a batch.
     *
     * @param callbacks those of events that may have come
     * @param released whether it was seen open, and without staged jobs
     * @return the events that this look noted; null if there is no such batch
     */
    public @Nullable Set<BatchEvent> look(
            String id, BatchDefinition definition, List<Callback> callbacks, boolean released) {
        List<byte[]> all = new ArrayList<>(List.of(names.batch(id)));
        all.addAll(names.of(id));
        all.addAll(List.of(names.open(), names.resting(), names.cancelled(), keys.queues()));
        all.add(names.batch(definition.parent().isEmpty() ? id : definition.parent()));
        all.add(names.batch(definition.next().isEmpty() ? id : definition.next()));
        List<String> queues = callbacks.stream().map(Callback::queue).distinct().toList();
        queues.forEach(queue -> all.add(keys.queue(queue)));
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(id),
                Bytes.of(definition.parent()),
                Bytes.of(definition.next()),
                Bytes.of(seconds(definition, kept.plain())),
                Bytes.of(seconds(definition, kept.withDead())),
                Bytes.of(definition.toleratesFailures() ? 1 : 0),
                Bytes.of(definition.toleratesSkipped() ? 1 : 0),
                Bytes.of(released ? 1 : 0),
                Bytes.of(callbacks.size())));
        for (Callback callback : callbacks) {
            arguments.add(Bytes.of(callback.event().ordinal() + 1));
            arguments.add(Bytes.of(queues.indexOf(callback.queue()) + 1));
            arguments.add(Bytes.of(callback.queue()));
            arguments.add(callback.payload());
        }
        List<Object> answer =
                connection.call(BatchScripts.FINISH, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
        long status = Bytes.number(answer.get(0));
        if (status == -1) {
            return null;
        }
        if (status == -2) {
            BatchEvent event = BatchEvent.values()[(int) Bytes.number(answer.get(1)) - 1];
            throw new JobStoreException(
                    JobStoreException.Kind.WRONG_TYPE,
                    "The key of the queue of batch " + id + "'s callback for " + event + " holds no list",
                    null);
        }
        Set<BatchEvent> events = EnumSet.noneOf(BatchEvent.class);
        answer.subList(2, answer.size())
                .forEach(event -> events.add(BatchEvent.values()[(int) Bytes.number(event) - 1]));
        return events;
    }

    private static long seconds(BatchDefinition definition, Duration kept) {
        long own = definition.keepSeconds() > 0 ? definition.keepSeconds() : kept.toSeconds();
        return definition.unarchived() ? Math.max(own, BatchArchiving.LONGEST.toSeconds()) : own;
    }

    /** Lets all keys of a batch expire that waits for one that is over, when that one does. */
    void expire(String id, List<String> stagedQueues, BatchDefinition previous) {
        Duration time = Duration.ofSeconds(seconds(previous, kept.withDead()));
        List<byte[]> all = everyKey(id, stagedQueues);
        connection.run(commands ->
                Replies.all(all.stream().map(key -> commands.expire(key, time)).toList()));
    }

    /** Keeps all keys of a batch for now. */
    void keep(String id, List<String> stagedQueues) {
        List<byte[]> all = everyKey(id, stagedQueues);
        connection.run(
                commands -> Replies.all(all.stream().map(commands::persist).toList()));
    }

    private List<byte[]> everyKey(String id, List<String> stagedQueues) {
        List<byte[]> all = new ArrayList<>(names.of(id));
        all.addAll(names.allStaged(id, stagedQueues));
        all.add(names.batch(id));
        return all;
    }

    /** Lets others that want a look come first. */
    void postpone(String id, Instant until) {
        connection.run(commands ->
                commands.zadd(names.resting(), ZAddArgs.Builder.xx(), until.getEpochSecond(), Bytes.of(id)));
    }
}
