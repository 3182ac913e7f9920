package dev.jobs.batches;

import dev.jobs.InvalidPayloadException;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.EntryReader.Order;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.SortedQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of batches that have not opened. May be released by several processes at once, each job goes once.
 * Thread-safe.
 */
final class StagedJobs {

    private static final Logger log = LoggerFactory.getLogger(StagedJobs.class);
    private static final int MOST = 500;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final BatchKeys names;
    private final EntryReader reading;

    StagedJobs(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.names = new BatchKeys(keys);
        this.reading = new EntryReader(connection);
    }

    /** Lets the jobs of committed batches begin. If this fails half way, the leader goes on. */
    void release(List<Complete> batches) {
        for (Complete batch : batches) {
            if (batch.definition().previous().isEmpty()) {
                releaseAll(batch);
            }
        }
    }

    private void releaseAll(Complete batch) {
        try {
            while (release(batch.id(), batch.stagedQueues()) > 0) {
                // until none is left
            }
        } catch (JobStoreException e) {
            log.debug("The jobs of batch {} are left for the leader to release", batch.id(), e);
        }
    }

    /**
     * Releases some jobs of a batch, as many as one call may move from each place.
     *
     * @param queues the queues for which there may be any
     * @return how many are left
     */
    long release(String batch, List<String> queues) {
        long left = 0;
        for (String queue : queues) {
            left += keys.sortedForNew(queue) == null
                    ? move(names.staged(batch, queue), keys.queue(queue), queue, List.of())
                    : moveAs(batch, queue, stored -> stored);
        }
        return left + move(names.stagedDue(batch), keys.schedule(), "", List.of());
    }

    /**
     * The same for jobs that have waited long: those for queues are stored with what has changed by then.
     *
     * @param change makes the payload to store
     */
    long release(String batch, List<String> queues, UnaryOperator<Payload> change) {
        long left = 0;
        for (String queue : queues) {
            left += moveAs(batch, queue, stored -> changed(stored, change));
        }
        return left + move(names.stagedDue(batch), keys.schedule(), "", List.of());
    }

    /** Moves some jobs to their queue and stores them with other bytes. Returns how many are left. */
    private long moveAs(String batch, String queue, UnaryOperator<byte[]> bytes) {
        byte[] staged = names.staged(batch, queue);
        SortedQueue ordered = keys.sortedForNew(queue);
        List<byte[]> jobs = new ArrayList<>();
        for (Object each : reading.some(
                        staged,
                        Order.OLDEST,
                        0,
                        CallBounds.JOBS,
                        connection.bounds().bytesToMove())
                .flat()) {
            byte[] stored = (byte[]) each;
            byte[] next = bytes.apply(stored);
            jobs.add(stored);
            jobs.add(next);
            if (ordered != null) {
                jobs.add(ordered.rank(next));
            }
        }
        if (jobs.isEmpty()) {
            return 0;
        }
        return ordered == null
                ? move(staged, keys.queue(queue), queue, jobs)
                : move(staged, ordered.set(), queue, jobs, ordered.tags());
    }

    private static byte[] changed(byte[] stored, UnaryOperator<Payload> change) {
        try {
            return change.apply(Payload.parse(stored)).bytes();
        } catch (InvalidPayloadException e) {
            return stored;
        }
    }

    private long move(byte[] staged, byte[] target, String queue, List<byte[]> pairs, byte[]... tags) {
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(queue), Bytes.of(MOST), Bytes.of(connection.bounds().bytes())));
        arguments.addAll(pairs);
        List<Object> answer = connection.call(
                BatchScripts.RELEASE,
                Stream.concat(Stream.of(staged, target, keys.queues()), Stream.of(tags))
                        .toArray(byte[][]::new),
                arguments.toArray(byte[][]::new));
        long moved = Bytes.number(answer.get(0));
        if (moved < 0) {
            throw new JobStoreException(
                    JobStoreException.Kind.WRONG_TYPE,
                    queue.isEmpty()
                            ? "The key of the scheduled set holds no sorted set"
                            : "The key of queue " + queue + " holds no list",
                    null);
        }
        return Bytes.number(answer.get(1));
    }

    /** Some staged jobs of a batch for one queue, oldest first, to be removed. */
    List<byte[]> some(String batch, String queue) {
        return some(names.staged(batch, queue), Order.OLDEST);
    }

    /** With {@link Order#LOWEST}, each is followed by its score. */
    private List<byte[]> some(byte[] key, Order order) {
        EntryReader.Part part =
                reading.some(key, order, 0, CallBounds.JOBS, connection.bounds().bytes());
        return part.flat().stream().map(each -> (byte[]) each).toList();
    }

    /** Ends staged jobs of a cancelled batch, as many as one call may. Returns how many; 0 if none is left. */
    int delete(String batch, List<String> queues, JobSets sets) {
        int deleted = 0;
        for (String queue : queues) {
            List<byte[]> jobs = some(batch, queue);
            if (!jobs.isEmpty()) {
                sets.move(
                        names.staged(batch, queue),
                        jobs.stream().map(sets::delete).toList());
                deleted += jobs.size();
            }
        }
        byte[] due = names.stagedDue(batch);
        List<byte[]> scheduled = some(due, Order.LOWEST);
        List<JobSets.Move> moves = new ArrayList<>();
        for (int i = 0; i < scheduled.size(); i += 2) {
            moves.add(sets.delete(scheduled.get(i)));
        }
        if (!moves.isEmpty()) {
            sets.move(due, moves);
        }
        return deleted + moves.size();
    }
}
