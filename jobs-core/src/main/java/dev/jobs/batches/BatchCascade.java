package dev.jobs.batches;

import dev.jobs.JobStoreException;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.PersistentCall;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.ValueScanCursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Cancels batches with all their children, however many there are. Any process may repeat any step: another
 * walk through the children of a cancelled batch finds those that are left. Thread-safe; a walk is confined to
 * one thread.
 */
final class BatchCascade {

    /** How many batches one call cancels. */
    private static final int TOGETHER = 100;

    /** About so many children are read in one call. */
    private static final int PAGE = 1_000;

    private static final byte[] NO_CHILDREN = {};

    private final RedisConnection connection;
    private final BatchKeys names;

    BatchCascade(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.names = new BatchKeys(keys);
    }

    /** What became of a batch. */
    private enum Result {
        BROKEN,
        ENDED,
        CANCELLED,
        CANCELLED_AND_OVER
    }

    private record Tried(String id, Result result, String next, long children) {}

    /**
     * Cancels a batch and all batches below it. If this ends half way, a {@link Walk} of any process goes on.
     *
     * @return whether the batch is cancelled: false if it has ended or there is none
     */
    boolean cancel(String id) {
        Result result = cancelTogether(List.of(id)).get(0).result();
        if (result == Result.BROKEN) {
            throw new JobStoreException(
                    JobStoreException.Kind.WRONG_TYPE,
                    "The key of the counters of batch " + id + " holds no hash",
                    null);
        }
        if (result == Result.CANCELLED) {
            Walk walk = walk(List.of(id));
            while (walk.step()) {
                // until all are cancelled
            }
        }
        return result == Result.CANCELLED || result == Result.CANCELLED_AND_OVER;
    }

    private List<Tried> cancelTogether(List<String> ids) {
        List<byte[]> all = new ArrayList<>(List.of(names.cancelled(), names.resting()));
        for (String id : ids) {
            all.addAll(List.of(names.batch(id), names.definition(id), names.children(id)));
        }
        List<Object> answer = new PersistentCall(
                        BatchScripts.CANCEL,
                        ScriptOutputType.MULTI,
                        all.toArray(byte[][]::new),
                        ids.stream().map(Bytes::of).toArray(byte[][]::new))
                .over(connection);
        List<Tried> cancelled = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            cancelled.add(new Tried(
                    ids.get(i),
                    Result.values()[(int) Bytes.number(answer.get(3 * i)) + 1],
                    Bytes.text(answer.get(3 * i + 1)),
                    Bytes.number(answer.get(3 * i + 2))));
        }
        return cancelled;
    }

    /** Begins to cancel the batches below some that are cancelled. */
    Walk walk(Collection<String> cancelled) {
        return new Walk(cancelled);
    }

    /** The children of one batch, as far as they were read. */
    private static final class Level {

        private final byte[] children;
        private final Deque<String> found = new ArrayDeque<>();
        private final Deque<String> parents = new ArrayDeque<>();
        private ScanCursor cursor = ScanCursor.INITIAL;

        Level(byte[] children) {
            this.children = children;
        }
    }

    /** A walk through all batches below some, in depth: it remembers no more than a page of children for each level. */
    final class Walk {

        private final Deque<String> roots;
        private final Deque<Level> levels = new ArrayDeque<>();

        /** Next batches that were followed, in case somebody has made a circle of them. */
        private final Set<String> followed = new HashSet<>();

        private Walk(Collection<String> cancelled) {
            roots = new ArrayDeque<>(cancelled);
        }

        /** Does the next step, a call. Returns false if there was nothing left to do. */
        boolean step() {
            Level level = levels.peek();
            if (level == null) {
                cancelRoots();
            } else if (!level.found.isEmpty()) {
                cancel(level);
            } else if (!level.parents.isEmpty()) {
                levels.push(new Level(names.children(level.parents.remove())));
            } else if (!level.cursor.isFinished()) {
                read(level);
            } else {
                levels.pop();
            }
            return !levels.isEmpty() || !roots.isEmpty();
        }

        private void cancelRoots() {
            List<String> some = take(roots);
            if (some.isEmpty()) {
                return;
            }
            Level level = new Level(NO_CHILDREN);
            level.cursor = ScanCursor.FINISHED;
            // Not their next batches: these don't open.
            cancelTogether(some).stream().filter(Walk::isParent).forEach(each -> level.parents.add(each.id()));
            levels.push(level);
        }

        private void cancel(Level level) {
            for (Tried each : cancelTogether(take(level.found))) {
                if (isParent(each)) {
                    level.parents.add(each.id());
                }
                // A child whose next batch runs has ended, but its parent waits for that one.
                if (!each.next().isEmpty() && followed.add(each.next())) {
                    level.found.addFirst(each.next());
                }
            }
        }

        private static boolean isParent(Tried each) {
            return each.result() == Result.CANCELLED && each.children() > 0;
        }

        private static List<String> take(Deque<String> ids) {
            List<String> some = new ArrayList<>();
            while (some.size() < TOGETHER && !ids.isEmpty()) {
                some.add(ids.remove());
            }
            return some;
        }

        private void read(Level level) {
            ScanCursor from = level.cursor;
            Optional<ValueScanCursor<byte[]>> page = Replies.unlessWrongType(() ->
                    connection.run(commands -> commands.sscan(level.children, from, ScanArgs.Builder.limit(PAGE))));
            page.ifPresent(some -> some.getValues().forEach(id -> level.found.add(Bytes.text(id))));
            level.cursor = page.<ScanCursor>map(some -> some).orElse(ScanCursor.FINISHED);
        }
    }
}
