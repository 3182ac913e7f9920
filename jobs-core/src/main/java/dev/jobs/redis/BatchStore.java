package dev.jobs.redis;

import dev.jobs.BatchEndedException;
import dev.jobs.BatchEvent;
import dev.jobs.JobStoreException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.ZAddArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Creates, fills and finishes batches. Every call may be repeated: the states of the jobs show what is done already.
 * Thread-safe.
 */
public final class BatchStore {

    /** Maximum number of jobs that one call adds. */
    public static final int SLICE = 500;

    /** How long a batch that isn't committed is kept after its last slice, if none of its jobs may run before. */
    static final Duration STAGED = Duration.ofDays(1);

    private final RedisConnection connection;
    private final RedisKeys keys;

    public BatchStore(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /** What creating a batch came to. */
    public enum Created {
        NEW,
        /** There was one with that id and fingerprint, not yet committed. */
        UNCOMMITTED,
        /** There was one with that id and fingerprint, and all its jobs are stored. */
        COMMITTED
    }

    /**
     * Creates a batch.
     *
     * @param staged whether none of its jobs runs before it is committed
     * @throws BatchEndedException if another batch has that id
     */
    public Created create(String id, BatchDefinition definition, boolean staged) {
        List<byte[]> own = ownKeys(id);
        List<byte[]> all = new ArrayList<>(List.of(keys.batch(id), own.get(0), keys.batches(), keys.openBatches()));
        all.addAll(own.subList(1, own.size()));
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(id),
                Bytes.of(staged ? STAGED.toSeconds() : 0),
                Bytes.of(definition.previous().isEmpty() ? 0 : 1)));
        arguments.addAll(definition.fields());
        List<Object> answer = persistently(LuaScript.BATCH_CREATE, all, arguments);
        long created = Bytes.number(answer.get(0));
        if (created == 1) {
            return Created.NEW;
        }
        if (!Bytes.text(answer.get(1)).equals(definition.fingerprint())) {
            throw new BatchEndedException("Another batch has the id " + id + ". Use another key");
        }
        return created == 2 ? Created.COMMITTED : Created.UNCOMMITTED;
    }

    /**
     * A job to add.
     *
     * @param queue the queue that it goes to; empty if it is scheduled, or skipped
     * @param at when it is due, in epoch seconds as text; null if it goes to its queue at once
     * @param payload its bytes; for a job that is skipped the reason, as a JSON value
     * @param skipped whether it is not stored
     */
    public record NewJob(long index, String queue, @Nullable String at, byte[] payload, boolean skipped) {}

    /**
     * Adds jobs, unless their indexes are taken.
     *
     * @param jobs at most {@value #SLICE}, all given from outside or all added by jobs of the batch
     * @param staged whether they wait until the batch opens
     * @param expires whether the batch expires unless it is committed
     * @return how many were added
     */
    public int fill(String id, List<NewJob> jobs, boolean staged, boolean expires) {
        boolean grown = jobs.get(0).index() >= BatchJobId.FIRST_GROWN;
        List<byte[]> all = new ArrayList<>(List.of(
                keys.batch(id),
                keys.batchStates(id, grown),
                keys.batchTexts(id),
                keys.openBatches(),
                keys.queues(),
                keys.batchDefinition(id)));
        List<byte[]> targets = new ArrayList<>();
        List<byte[]> tail = new ArrayList<>(4 * jobs.size());
        for (NewJob job : jobs) {
            int target = 0;
            if (!job.skipped()) {
                byte[] name = Bytes.of(job.at() != null ? "z" : (staged ? "s" : "q") + job.queue());
                target = indexOf(targets, name) + 1;
                if (target == 0) {
                    targets.add(name);
                    all.add(target(id, job, staged));
                    target = targets.size();
                }
            }
            tail.add(Bytes.of(new BatchJobId(id, job.index()).position()));
            tail.add(Bytes.of(target));
            tail.add(Bytes.of(job.at() == null ? "" : job.at()));
            tail.add(job.payload());
        }
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(id),
                Bytes.of(expires ? STAGED.toSeconds() : 0),
                Bytes.of(targets.size()),
                Bytes.of(jobs.size())));
        arguments.addAll(targets);
        arguments.addAll(tail);
        List<Object> answer = persistently(LuaScript.BATCH_FILL, all, arguments);
        return switch ((int) Bytes.number(answer.get(0))) {
            case 0 -> throw new BatchEndedException("There is no batch " + id + " (any more); nothing was added");
            case -3 -> throw new BatchEndedException("Batch " + id + " is cancelled; nothing was added");
            case -1 -> throw new BatchEndedException("Batch " + id + " has ended; nothing was added");
            case -2 ->
                throw new JobStoreException(
                        JobStoreException.Kind.WRONG_TYPE,
                        "The key of " + Bytes.text(targets.get((int) Bytes.number(answer.get(1)) - 1))
                                + " holds another type; nothing was added to batch " + id,
                        null);
            default -> (int) Bytes.number(answer.get(1));
        };
    }

    private byte[] target(String id, NewJob job, boolean staged) {
        if (job.at() != null) {
            return staged ? keys.batchStagedDue(id) : keys.schedule();
        }
        return staged ? keys.batchStaged(id, job.queue()) : keys.queue(job.queue());
    }

    private static int indexOf(List<byte[]> all, byte[] one) {
        for (int i = 0; i < all.size(); i++) {
            if (Arrays.equals(all.get(i), one)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Reserves indexes for jobs that a job of the batch adds.
     *
     * @return the first one
     * @throws BatchEndedException if there is no such batch
     */
    public long reserve(String id, int count) {
        long reserved = connection.<Long>callForOne(
                LuaScript.BATCH_RESERVE, ScriptOutputType.INTEGER, new byte[][] {keys.batch(id)}, new byte[][] {
                    Bytes.of(count)
                });
        if (reserved == 0) {
            throw new BatchEndedException("There is no batch " + id + " (any more); nothing was added");
        }
        return BatchJobId.FIRST_GROWN + reserved - count;
    }

    /**
     * A batch that is complete.
     *
     * @param definition whose fields replace those stored before
     * @param stagedQueues the queues for which it has staged jobs
     */
    public record Complete(String id, BatchDefinition definition, List<String> stagedQueues) {

        /** Whether its parent counts it: a batch that waits for a previous one is not, that one stands in for it. */
        private boolean isCounted() {
            return !definition.parent().isEmpty() && definition.previous().isEmpty();
        }
    }

    /**
     * Declares batches complete, all or none.
     *
     * @throws BatchEndedException if one no longer exists, or if the parent of one has ended
     */
    public void commit(List<Complete> batches) {
        List<byte[]> all = new ArrayList<>(List.of(keys.restingBatches()));
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(batches.size())));
        for (Complete batch : batches) {
            String id = batch.id();
            String parent = batch.definition().parent();
            all.add(keys.batch(id));
            all.addAll(ownKeys(id));
            if (batch.isCounted()) {
                all.addAll(List.of(keys.batchChildren(parent), keys.batch(parent)));
            }
            all.addAll(stagedKeys(id, batch.stagedQueues()));
            List<byte[]> fields = batch.definition().fields();
            arguments.addAll(List.of(
                    Bytes.of(id),
                    Bytes.of(batch.isCounted() ? 1 : 0),
                    Bytes.of(batch.stagedQueues().size() + 1),
                    Bytes.of(fields.size())));
            arguments.addAll(fields);
        }
        List<Object> answer = persistently(LuaScript.BATCH_COMMIT, all, arguments);
        long status = Bytes.number(answer.get(0));
        if (status == 0) {
            throw new BatchEndedException("There is no batch " + Bytes.text(answer.get(1))
                    + " any more: it was not committed within a day of its last job");
        }
        if (status < 0) {
            throw new BatchEndedException(
                    "The parent of batch " + Bytes.text(answer.get(1)) + " has ended; nothing of the child will run");
        }
    }

    /** The keys of a batch besides its counters and staged jobs, in the order in which scripts want them. */
    private List<byte[]> ownKeys(String id) {
        return List.of(
                keys.batchDefinition(id),
                keys.batchStates(id, false),
                keys.batchStates(id, true),
                keys.batchTexts(id),
                keys.batchChildren(id));
    }

    /** Cancels a batch. Returns whether it is cancelled: false if it has ended or there is none. */
    public boolean cancel(String id) {
        return connection.<Long>callPersistently(
                        LuaScript.BATCH_CANCEL,
                        ScriptOutputType.INTEGER,
                        new byte[][] {keys.batch(id), keys.cancelledBatches(), keys.restingBatches()},
                        new byte[][] {Bytes.of(id)},
                        connection.timeout(),
                        new AtomicBoolean())
                == 1;
    }

    /** Removes a batch and what it staged, unless it is committed. Returns whether it is gone. */
    public boolean discard(String id, List<String> stagedQueues) {
        List<byte[]> all = new ArrayList<>(List.of(keys.batch(id), keys.batches(), keys.openBatches()));
        all.addAll(ownKeys(id));
        all.addAll(stagedKeys(id, stagedQueues));
        return connection.<Long>callForOne(
                        LuaScript.BATCH_DISCARD, ScriptOutputType.INTEGER, all.toArray(byte[][]::new), new byte[][] {
                            Bytes.of(id)
                        })
                == 1;
    }

    private List<byte[]> stagedKeys(String id, List<String> queues) {
        List<byte[]> staged = new ArrayList<>(List.of(keys.batchStagedDue(id)));
        queues.forEach(queue -> staged.add(keys.batchStaged(id, queue)));
        return staged;
    }

    /**
     * A callback as it would be enqueued now.
     *
     * @param queue the queue that it goes to
     */
    public record Callback(BatchEvent event, String queue, byte[] payload) {}

    /** The events that a look at a batch noted; null if there is no such batch. */
    public @Nullable Set<BatchEvent> look(
            String id, BatchDefinition definition, List<Callback> callbacks, BatchRetention kept) {
        List<byte[]> all = new ArrayList<>(List.of(keys.batch(id)));
        all.addAll(ownKeys(id));
        all.addAll(List.of(keys.openBatches(), keys.restingBatches(), keys.cancelledBatches(), keys.queues()));
        all.add(keys.batch(definition.parent().isEmpty() ? id : definition.parent()));
        all.add(keys.batch(definition.next().isEmpty() ? id : definition.next()));
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
                Bytes.of(callbacks.size())));
        for (Callback callback : callbacks) {
            arguments.add(Bytes.of(callback.event().ordinal() + 1));
            arguments.add(Bytes.of(queues.indexOf(callback.queue()) + 1));
            arguments.add(Bytes.of(callback.queue()));
            arguments.add(callback.payload());
        }
        List<Object> answer =
                connection.call(LuaScript.BATCH_FINISH, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
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
        return definition.keepSeconds() > 0 ? definition.keepSeconds() : kept.toSeconds();
    }

    /**
     * What became of a job elsewhere.
     *
     * @param expected the letters of the states in which it must still be; empty for any
     * @param outcome the scripts' word for it
     */
    public record Mark(long index, String expected, String outcome, BatchEffects.Report report) {}

    /** Marks jobs of a batch, all given from outside or all added by its jobs. Returns which were marked. */
    public List<Boolean> mark(String id, List<Mark> marks) {
        BatchEffects effects = new BatchEffects(keys);
        boolean grown = new BatchJobId(id, marks.get(0).index()).isGrown();
        List<byte[]> all = new ArrayList<>(List.of(keys.batchStates(id, grown), keys.batch(id)));
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(marks.size())));
        EffectEncoder happening = new EffectEncoder();
        for (int i = 0; i < marks.size(); i++) {
            Mark mark = marks.get(i);
            BatchJobId job = new BatchJobId(id, mark.index());
            arguments.addAll(List.of(Bytes.of(job.position()), Bytes.of(mark.expected()), Bytes.of(mark.outcome())));
            happening.add(i + 1, List.of(effects.of(job, mark.report())));
        }
        happening.appendTo(all, arguments);
        return connection
                .call(LuaScript.BATCH_MARK, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new))
                .stream()
                .map(result -> Bytes.number(result) == 1)
                .toList();
    }

    /** Lets all keys of a batch expire, as of one that waits for a batch that is over. */
    public void expire(String id, List<String> stagedQueues, Duration time) {
        List<byte[]> all = everyKey(id, stagedQueues);
        connection.run(commands ->
                Replies.all(all.stream().map(key -> commands.expire(key, time)).toList()));
    }

    /** Keeps all keys of a batch for now. */
    public void keep(String id, List<String> stagedQueues) {
        List<byte[]> all = everyKey(id, stagedQueues);
        connection.run(
                commands -> Replies.all(all.stream().map(commands::persist).toList()));
    }

    private List<byte[]> everyKey(String id, List<String> stagedQueues) {
        List<byte[]> all = new ArrayList<>(ownKeys(id));
        all.addAll(stagedKeys(id, stagedQueues));
        all.add(keys.batch(id));
        return all;
    }

    /** Lets others that want a look come first. */
    public void postpone(String id, Instant until) {
        connection.run(commands ->
                commands.zadd(keys.restingBatches(), ZAddArgs.Builder.xx(), until.getEpochSecond(), Bytes.of(id)));
    }

    private List<Object> persistently(LuaScript script, List<byte[]> all, List<byte[]> arguments) {
        return connection.<List<Object>>callPersistently(
                script,
                ScriptOutputType.MULTI,
                all.toArray(byte[][]::new),
                arguments.toArray(byte[][]::new),
                connection.timeout(),
                new AtomicBoolean());
    }
}
