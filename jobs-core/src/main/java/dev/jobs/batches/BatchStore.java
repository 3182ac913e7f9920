package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.PersistentCall;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.redis.SortedQueue;
import dev.jobs.store.EffectEncoder;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates and fills batches. Every call may be repeated: the states of the jobs show what is done already.
 * Thread-safe.
 */
@Internal
public final class BatchStore {

    /** Maximum number of jobs that one call adds. */
    public static final int SLICE = 500;

    /** How long a batch that isn't committed is kept after its last slice, if none of its jobs may run before. */
    static final Duration STAGED = Duration.ofDays(1);

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final BatchKeys names;

    public BatchStore(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.names = new BatchKeys(keys);
    }

    /** What creating a batch came to. */
    public enum Created {
        NEW,
        /** There was one with that id, not yet committed. */
        UNCOMMITTED,
        /** There was one with that id, and all its jobs are stored. */
        COMMITTED,
        /** The caller's key leads to another batch by now. */
        ELSEWHERE
    }

    /**
     * Creates a batch.
     *
     * @param staged whether none of its jobs runs before it is committed
     */
    public Created create(KeyedBatches.Lead lead, BatchDefinition definition, boolean staged) {
        String id = lead.id();
        List<byte[]> own = names.of(id);
        List<byte[]> all =
                new ArrayList<>(List.of(names.batch(id), own.get(0), names.all(), names.open(), names.byKey()));
        all.addAll(own.subList(1, own.size()));
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(id),
                Bytes.of(staged ? STAGED.toSeconds() : 0),
                Bytes.of(definition.previous().isEmpty() ? 0 : 1),
                Bytes.of(lead.digest()),
                Bytes.of(lead.known())));
        arguments.addAll(definition.fields());
        return switch ((int) persistentlyForOne(BatchScripts.CREATE, all, arguments)) {
            case 0 -> Created.UNCOMMITTED;
            case 1 -> Created.NEW;
            case 2 -> Created.COMMITTED;
            default -> Created.ELSEWHERE;
        };
    }

    /**
     * Stores what was determined of a batch while it was filled, unless it is committed. The commit of many batches
     * doesn't carry it: callbacks may be large.
     */
    void define(String id, BatchDefinition definition) {
        persistentlyForOne(BatchScripts.DEFINE, List.of(names.batch(id), names.definition(id)), definition.fields());
    }

    /** Keeps the staged jobs of a batch that is filled again for as long as the batch itself. */
    void renew(String id, List<String> stagedQueues) {
        List<byte[]> all = names.allStaged(id, stagedQueues);
        connection.run(commands -> Replies.all(
                all.stream().map(key -> commands.expire(key, STAGED)).toList()));
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
                names.batch(id),
                names.states(id, grown),
                names.texts(id),
                names.open(),
                keys.queues(),
                names.definition(id)));
        List<byte[]> targets = new ArrayList<>();
        List<byte[]> tail = new ArrayList<>(4 * jobs.size());
        for (NewJob job : jobs) {
            int target = 0;
            if (!job.skipped()) {
                SortedQueue ordered = ordered(job, staged);
                String kind = staged ? "s" : ordered == null ? "q" : "o";
                byte[] name = Bytes.of(job.at() != null ? "z" : kind + job.queue());
                target = indexOf(targets, name) + 1;
                if (target == 0) {
                    targets.add(name);
                    all.add(target(id, job, staged));
                    target = targets.size();
                    if (ordered != null) {
                        targets.add(Bytes.of("t"));
                        all.add(ordered.tags());
                    }
                }
            }
            tail.add(Bytes.of(new BatchJobId(id, job.index()).position()));
            tail.add(Bytes.of(target));
            SortedQueue ordered = job.skipped() ? null : ordered(job, staged);
            tail.add(ordered != null ? ordered.rank(job.payload()) : Bytes.of(job.at() == null ? "" : job.at()));
            tail.add(job.payload());
        }
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(id),
                Bytes.of(expires ? STAGED.toSeconds() : 0),
                Bytes.of(targets.size()),
                Bytes.of(jobs.size())));
        arguments.addAll(targets);
        arguments.addAll(tail);
        List<Object> answer = persistently(BatchScripts.FILL, all, arguments);
        return switch ((int) Bytes.number(answer.get(0))) {
            case 0 -> throw new BatchEndedException("There is no batch " + id + " (any more); nothing was added");
            case -3 -> throw new BatchEndedException("Batch " + id + " is cancelled; nothing was added");
            case -1 -> throw new BatchEndedException("Batch " + id + " has ended; nothing was added");
            case -2 ->
                throw new JobStoreException(
                        JobStoreException.Kind.WRONG_TYPE,
                        wrongType((int) Bytes.number(answer.get(1)), targets) + "; nothing was added to batch " + id,
                        null);
            default -> (int) Bytes.number(answer.get(1));
        };
    }

    private static String wrongType(int target, List<byte[]> targets) {
        return target == 0
                ? "A key of the batch, or the names of queues, hold another type"
                : "The key of " + Bytes.text(targets.get(target - 1)) + " holds another type";
    }

    private byte[] target(String id, NewJob job, boolean staged) {
        if (job.at() != null) {
            return staged ? names.stagedDue(id) : keys.schedule();
        }
        SortedQueue ordered = ordered(job, staged);
        return staged ? names.staged(id, job.queue()) : ordered == null ? keys.queue(job.queue()) : ordered.set();
    }

    /** Where else than in a list the job goes; null if it goes to a list, or not to a queue yet. */
    private @Nullable SortedQueue ordered(NewJob job, boolean staged) {
        return staged || job.at() != null ? null : keys.sortedForNew(job.queue());
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
    long reserve(String id, int count) {
        long reserved = connection.<Long>callForOne(
                BatchScripts.RESERVE, ScriptOutputType.INTEGER, new byte[][] {names.batch(id)}, new byte[][] {
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
     * @param definition as it is stored by now
     * @param staged whether all its jobs are staged
     * @param stagedQueues the queues for which it has staged jobs
     */
    public record Complete(String id, BatchDefinition definition, boolean staged, List<String> stagedQueues) {

        /** Whether its parent counts it: a batch that waits for a previous one is not, that one stands in for it. */
        private boolean isCounted() {
            return !definition.parent().isEmpty() && definition.previous().isEmpty();
        }
    }

    /**
     * Declares batches complete, all or none.
     *
     * @throws BatchEndedException if one no longer exists, if staged jobs of one are missing, if the parent of one has
     *     ended or is cancelled, or if one of several was cancelled before
     */
    public void commit(List<Complete> batches) {
        List<byte[]> all = new ArrayList<>(List.of(names.resting()));
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(batches.size())));
        for (Complete batch : batches) {
            String id = batch.id();
            String parent = batch.definition().parent();
            all.add(names.batch(id));
            all.addAll(names.of(id));
            if (batch.isCounted()) {
                all.addAll(List.of(names.children(parent), names.batch(parent)));
            }
            all.addAll(names.allStaged(id, batch.stagedQueues()));
            arguments.addAll(List.of(
                    Bytes.of(id),
                    Bytes.of(batch.isCounted() ? 1 : 0),
                    Bytes.of(batch.stagedQueues().size() + 1),
                    Bytes.of(batch.staged() ? 1 : 0)));
        }
        List<Object> answer = persistently(BatchScripts.COMMIT, all, arguments);
        long status = Bytes.number(answer.get(0));
        if (status == 0) {
            throw new BatchEndedException("There is no batch " + Bytes.text(answer.get(1))
                    + " any more: it was not committed within a day of its last job");
        }
        if (status == -1) {
            throw new BatchEndedException("The parent of batch " + Bytes.text(answer.get(1))
                    + " has ended or is cancelled; nothing of the child will run");
        }
        if (status == -2) {
            throw new BatchEndedException("Jobs of batch " + Bytes.text(answer.get(1))
                    + " are missing: they expired before the commit, or an interrupted call with the same key stored"
                    + " other ones; nothing of it will run. Create it again");
        }
        if (status == -3) {
            throw new BatchEndedException("Batch " + Bytes.text(answer.get(1))
                    + " was cancelled before it was committed; nothing of it, its children and next batches will run");
        }
    }

    /** Removes a batch and what it staged, unless it is committed. Returns whether it is gone. */
    boolean discard(String id, List<String> stagedQueues) {
        List<byte[]> all = new ArrayList<>(List.of(names.batch(id), names.all(), names.open()));
        all.addAll(names.of(id));
        all.addAll(names.allStaged(id, stagedQueues));
        return connection.<Long>callForOne(
                        BatchScripts.DISCARD, ScriptOutputType.INTEGER, all.toArray(byte[][]::new), new byte[][] {
                            Bytes.of(id)
                        })
                == 1;
    }

    /**
     * What became of a job elsewhere.
     *
     * @param expected the letters of the states in which it must still be; empty for any
     * @param outcome the scripts' word for it
     */
    public record Correction(long index, String expected, String outcome, BatchEffects.Report report) {}

    /** Marks jobs of a batch, all given from outside or all added by its jobs. Returns which were marked. */
    public List<Boolean> mark(String id, List<Correction> corrections) {
        BatchEffects effects = new BatchEffects(keys);
        boolean grown = new BatchJobId(id, corrections.get(0).index()).isGrown();
        List<byte[]> all = new ArrayList<>(List.of(names.states(id, grown), names.batch(id)));
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(corrections.size())));
        EffectEncoder happening = new EffectEncoder(keys);
        for (int i = 0; i < corrections.size(); i++) {
            Correction each = corrections.get(i);
            BatchJobId job = new BatchJobId(id, each.index());
            arguments.addAll(List.of(Bytes.of(job.position()), Bytes.of(each.expected()), Bytes.of(each.outcome())));
            happening.add(i + 1, List.of(effects.of(job, each.report())));
        }
        happening.appendTo(all, arguments);
        return connection.call(BatchScripts.MARK, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new)).stream()
                .map(result -> Bytes.number(result) == 1)
                .toList();
    }

    private long persistentlyForOne(LuaScript script, List<byte[]> all, List<byte[]> arguments) {
        return new PersistentCall(
                        script, ScriptOutputType.INTEGER, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new))
                .<Long>over(connection);
    }

    private List<Object> persistently(LuaScript script, List<byte[]> all, List<byte[]> arguments) {
        return new PersistentCall(
                        script, ScriptOutputType.MULTI, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new))
                .<List<Object>>over(connection);
    }
}
