package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Moves jobs from one queue to another. Each is one step, so a job is in one place at every moment. A moved job keeps
 * the time since which it waits.
 */
@Internal
public final class QueueMoves {

    private static final int MOVED = 1;
    private static final int GONE = 0;

    private final JobQueues queues;
    private final JobSets sets;

    QueueMoves(JobQueues queues, JobSets sets) {
        this.queues = queues;
        this.sets = sets;
    }

    @Nullable JobRecord move(String queue, byte[] job, String to) {
        check(queue, to);
        Move move = to(job.clone(), to);
        if (move == null) {
            throw new JobsException("This entry of the queue '" + queue
                    + "' is not a job that can be read, so it stays there; delete it");
        }
        int result = sets.moveFromQueue(queue, List.of(move)).get(0);
        if (result != MOVED && result != GONE) {
            throw new JobStoreException(
                    Kind.WRONG_TYPE,
                    "The key of queue '" + to + "' holds another type than it should, so the job stays in queue '"
                            + queue + "'; remove that key first",
                    null);
        }
        return result == MOVED ? JobRecord.inQueue(to, move.payload()) : null;
    }

    /**
     * The oldest first, which leave the front of the queue; those that stay there are passed over from then on. If
     * Redis fails after the first hundred, the result says how far it came.
     */
    BulkResult moveAll(String queue, String to, @Nullable String cursor, Duration time) {
        check(queue, to);
        BooleanSupplier mayGoOn = BulkPass.until(time);
        Cursor at = cursor == null ? new Cursor(queues.size(queue), 0) : Cursor.parse(cursor);
        long left = at.left();
        long stayed = at.stayed();
        long done = 0;
        long kept = 0;
        boolean began = false;
        while (left > 0) {
            Moved step;
            try {
                stayed = stillThere(queue, stayed);
                step = move(queue, to, stayed, (int) Math.min(CallBounds.JOBS, left));
            } catch (JobStoreException e) {
                if (!began) {
                    throw e;
                }
                return new BulkResult(done, kept, 0, new Cursor(left, stayed).text());
            }
            if (step.looked() == 0) {
                break;
            }
            began = true;
            done += step.moved();
            kept += step.stayed();
            stayed += step.stayed();
            left -= step.looked();
            if (left > 0 && !mayGoOn.getAsBoolean()) {
                return new BulkResult(done, kept, 0, new Cursor(left, stayed).text());
            }
        }
        return new BulkResult(done, kept, 0, null);
    }

    /**
     * How many of those that stayed at the front are still there: workers take them, too, and the jobs behind them come
     * to their places. Those that stay are no jobs; if a target refused jobs, it refuses them again.
     */
    private long stillThere(String queue, long stayed) {
        long from = 0;
        long to = stayed;
        for (long at = stayed - 1; from < to; at = (from + to) / 2) { // usually all of them, which the last one shows
            List<byte[]> there = queues.someOldest(queue, at, 1).items();
            if (!there.isEmpty() && JobRecord.inQueue(queue, there.get(0)).payload() == null) {
                from = at + 1;
            } else {
                to = at;
            }
        }
        return from;
    }

    /** What became of the jobs of one step. */
    private record Moved(int looked, long moved, long stayed) {}

    private Moved move(String queue, String to, long from, int most) {
        List<byte[]> page = queues.someOldest(queue, from, most).items();
        List<Move> moves = new ArrayList<>();
        for (byte[] stored : page) {
            Move move = to(stored, to);
            if (move != null) {
                moves.add(move);
            }
        }
        List<Integer> results = moves.isEmpty() ? List.of() : sets.moveFromQueue(queue, moves);
        long moved = results.stream().filter(result -> result == MOVED).count();
        long refused = results.stream()
                .filter(result -> result != MOVED && result != GONE)
                .count();
        return new Moved(page.size(), moved, page.size() - moves.size() + refused);
    }

    /** Null if the stored bytes are not a job. */
    private @Nullable Move to(byte[] stored, String queue) {
        Payload job = JobRecord.inQueue(queue, stored).payload();
        return job == null
                ? null
                : sets.toQueue(stored, queue, job.with("queue", queue).bytes());
    }

    private static void check(String queue, String to) {
        checkName(to);
        if (queue.equals(to)) {
            throw new IllegalArgumentException("'to' must be another queue than '" + queue + "'");
        }
    }

    public static void checkName(String queue) {
        if (!RedisKeys.isQueueName(queue)) {
            throw new IllegalArgumentException(
                    "'queue' must be the name of a queue: at least one character, and no line break");
        }
    }

    /**
     * Where a move of all jobs stopped.
     *
     * @param left jobs that it still looks at
     * @param stayed jobs at the front that it looked at and that are still there
     */
    private record Cursor(long left, long stayed) {

        static Cursor parse(String text) {
            return CursorText.parse(text, 2, parts -> {
                Cursor cursor = new Cursor(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
                return cursor.left < 0 || cursor.stayed < 0 ? null : cursor;
            });
        }

        String text() {
            return CursorText.of(left, stayed);
        }
    }
}
