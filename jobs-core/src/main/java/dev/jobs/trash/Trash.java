package dev.jobs.trash;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.admin.BudgetedScan;
import dev.jobs.admin.BulkPass;
import dev.jobs.admin.CursorText;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Page;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.QueuesAdmin;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.codec.RubyTime;
import dev.jobs.limits.LimitStates;
import dev.jobs.limits.LimitedJob;
import dev.jobs.lists.JobQueues;
import dev.jobs.redis.CallBounds;
import dev.jobs.trash.JobTrash.Added;
import dev.jobs.trash.JobTrash.Fate;
import dev.jobs.trash.JobTrash.Trashed;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Deletes jobs in a way that can be undone for a day. Keeps the most recently deleted jobs, at most 10,000 and 64 MB; a
 * single larger job is deleted for good. A job moves to the trash in one step and is restored in one step: to its set
 * with its score, or to its queue behind the job that was before it, or to the front if that job is gone. In an ordered
 * queue it is taken next if its turn is over, and else as if it had never been deleted.
 *
 * <p>{@link JobsAdmin#trash} returns it. Thread-safe; throws what {@link JobsAdmin} throws.
 */
public final class Trash {

    /** The largest number of jobs in a queue that can be cleared into the trash. */
    public static final long MOST_CLEARED = 10_000;

    private static final Pattern BATCH = Pattern.compile("[A-Za-z0-9-]{1,64}");

    /** Each must be searched for in its queue, from one of its ends. */
    private static final int TOGETHER_IN_QUEUE = 4;

    /**
     * The result of a deletion.
     *
     * @param done jobs that were deleted
     * @param gone jobs that were already gone
     * @param restorable how many of the deleted jobs are in the trash
     */
    public record Deleted(long done, long gone, long restorable) {

        static final Deleted NOTHING = new Deleted(0, 0, 0);

        Deleted plus(Added added) {
            return new Deleted(
                    done
                            + Collections.frequency(added.fates(), Fate.KEPT)
                            + Collections.frequency(added.fates(), Fate.REMOVED),
                    gone + Collections.frequency(added.fates(), Fate.GONE),
                    restorable + added.kept());
        }
    }

    /**
     * The result of a restoration.
     *
     * @param done jobs that were restored
     * @param cursor where to go on if there was not enough time for all, else null
     */
    public record Restored(long done, @Nullable String cursor) {

        /** Whether there was not enough time for all: call again. */
        public boolean more() {
            return cursor != null;
        }
    }

    private final JobTrash trash;
    private final JobQueues queues;
    private final CallBounds bounds;
    private final Clock clock;

    @Internal
    public Trash(JobTrash trash, JobQueues queues, CallBounds bounds, Clock clock) {
        this.trash = trash;
        this.queues = queues;
        this.bounds = bounds;
        this.clock = clock;
    }

    /**
     * Deletes jobs of a set.
     *
     * @param batch a name for everything to be restored together, 1 to 64 letters, digits and dashes
     * @param progress receives the result so far after each call of Redis, so that the caller knows it even if Redis
     *     fails later
     */
    public Deleted delete(JobSet set, List<JobRecord> jobs, String batch, Consumer<? super Deleted> progress) {
        check(batch);
        Deleted deleted = Deleted.NOTHING;
        List<byte[]> all = jobs.stream().map(JobRecord::stored).toList();
        for (List<byte[]> stored : bounds.cut(all, each -> each.length)) {
            deleted = deleted.plus(trash.add(set.stored(), stored, batch));
            progress.accept(deleted);
        }
        return deleted;
    }

    /** Deletes jobs of a queue, in the order in which {@link QueuesAdmin#findAt} returns them; of equal ones any. */
    public Deleted delete(String queue, List<ListedJob> jobs, String batch, Consumer<? super Deleted> progress) {
        check(batch);
        long size = queues.size(queue);
        Deleted deleted = Deleted.NOTHING;
        for (ListedJob each : jobs) {
            boolean fromNewest = each.index() > size / 2;
            List<byte[]> before = each.index() == 0 ? List.of() : queues.oldest(queue, each.index() - 1, 1);
            deleted = deleted.plus(trash.add(
                    queue,
                    List.of(each.job().stored()),
                    List.of(before.isEmpty() ? new byte[0] : before.get(0)),
                    batch,
                    fromNewest));
            progress.accept(deleted);
        }
        return deleted;
    }

    /**
     * Deletes jobs that are parked at limits. A restored one is next in its queue; if its limit is still full, it is
     * parked again, in its old place.
     */
    public Deleted delete(List<LimitedJob> jobs, String batch, Consumer<? super Deleted> progress) {
        check(batch);
        Deleted deleted = Deleted.NOTHING;
        Map<String, List<LimitedJob>> byLimit =
                jobs.stream().collect(Collectors.groupingBy(LimitedJob::limit, TreeMap::new, Collectors.toList()));
        for (Map.Entry<String, List<LimitedJob>> limit : byLimit.entrySet()) {
            List<LimitStates.Waiting> all =
                    limit.getValue().stream().map(LimitedJob::stored).toList();
            for (List<LimitStates.Waiting> some : bounds.cut(all, each -> each.member().length)) {
                deleted = deleted.plus(trash.add(limit.getKey(), some, batch));
                progress.accept(deleted);
            }
        }
        return deleted;
    }

    /**
     * Whether {@link #clear} would keep the jobs of a queue, judging by their number only: their size is measured when
     * it is called.
     */
    public boolean wouldKeep(QueueInfo queue) {
        return !queue.broken() && queue.size() <= MOST_CLEARED;
    }

    /**
     * Moves the present jobs of a queue to the trash, the oldest first, if the trash can keep them all; the queue stays
     * listed.
     *
     * @param batch as in {@link #delete}, like {@code progress}
     * @return empty, and nothing was done, if the queue has more jobs or bytes than the trash keeps
     */
    public Optional<Deleted> clear(String queue, String batch, Consumer<? super Deleted> progress) {
        check(batch);
        long size = queues.size(queue);
        if (!fits(queue, size)) {
            return Optional.empty();
        }
        Deleted deleted = Deleted.NOTHING;
        for (long left = size; left > 0; ) {
            List<byte[]> next = next(queue, 0, left);
            if (next.isEmpty()) {
                break;
            }
            left -= next.size();
            // without a neighbour: they are restored in reverse order, each to the front
            List<byte[]> before = Collections.nCopies(next.size(), new byte[0]);
            deleted = deleted.plus(trash.add(queue, next, before, batch, false));
            progress.accept(deleted);
        }
        return Optional.of(deleted);
    }

    /** Stops reading when the trash has no more room. */
    private boolean fits(String queue, long size) {
        long bytes = 0;
        for (long at = 0; at < size && size <= MOST_CLEARED && trash.hasRoomFor(queue, size, bytes); ) {
            List<byte[]> next = next(queue, at, size - at);
            if (next.isEmpty()) {
                break;
            }
            at += next.size();
            bytes += bytes(next);
        }
        return size <= MOST_CLEARED && trash.hasRoomFor(queue, size, bytes);
    }

    /** As many jobs from a position on as one call carries, the one that is taken next first. */
    private List<byte[]> next(String queue, long from, long most) {
        return queues.someOldest(queue, from, (int) Math.min(CallBounds.JOBS, most))
                .items();
    }

    private static long bytes(List<byte[]> jobs) {
        return jobs.stream().mapToLong(job -> job.length).sum();
    }

    /**
     * Jobs in the trash, newest first.
     *
     * @param from the position to begin at, 0 or more
     * @param size 1 to 200
     */
    public Page<TrashedJob> jobs(long from, int size) {
        Instant now = clock.instant();
        long begin = BudgetedScan.begin(from, size, trash.size(now));
        return trash.newest(now, begin, size).map(Trash::shown);
    }

    private static TrashedJob shown(Trashed trashed) {
        return new TrashedJob(id(trashed), trashed.batch(), RubyTime.ofSeconds(trashed.deleted()), record(trashed));
    }

    private static JobRecord record(Trashed trashed) {
        for (JobSet set : JobSet.values()) {
            if (set.stored() == trashed.set()) {
                return JobRecord.inSet(set, trashed.stored(), score(trashed.score()));
            }
        }
        return JobRecord.inQueue(trashed.queue(), trashed.stored());
    }

    private static double score(String text) {
        try {
            return text.equals("inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static String id(Trashed trashed) {
        return JobRecord.inQueue("", trashed.entry()).digest();
    }

    /** Restores the jobs of a batch that are still in the trash: about so long at most, but until it has found one. */
    public Restored restoreBatch(String batch, Duration time) {
        check(batch);
        return restore(each -> each.batch().equals(batch), Long.MAX_VALUE, null, time, true);
    }

    /**
     * Restores the jobs of a batch that are still in the trash, for about that time at most.
     *
     * @param cursor of the call before, or null for the first one
     * @throws IllegalArgumentException if no call returned the cursor
     */
    public Restored restoreBatch(String batch, @Nullable String cursor, Duration time) {
        check(batch);
        return restore(each -> each.batch().equals(batch), Long.MAX_VALUE, cursor, time, false);
    }

    /** Restores single jobs, for about that time at most; otherwise like {@link #restoreBatch}. */
    public Restored restore(Set<String> ids, @Nullable String cursor, Duration time) {
        return restore(each -> ids.contains(id(each)), ids.size(), cursor, time, false);
    }

    /** The most recently deleted first, so that jobs of a queue are restored in the reverse order of their deletion. */
    private Restored restore(
            Predicate<Trashed> wanted, long most, @Nullable String cursor, Duration time, boolean untilFound) {
        BooleanSupplier mayGoOn = BulkPass.until(time);
        Instant now = clock.instant();
        Cursor at = cursor == null ? Cursor.NEWEST : Cursor.parse(cursor);
        long done = 0;
        try {
            while (done < most) {
                List<Trashed> page = trash.some(now, at.latest(), at.skip(), CallBounds.JOBS);
                if (page.isEmpty()) {
                    break;
                }
                Set<Trashed> left = Collections.newSetFromMap(new IdentityHashMap<>());
                left.addAll(page);
                for (List<Trashed> together :
                        grouped(page.stream().filter(wanted).toList())) {
                    List<Integer> results = trash.restore(together);
                    for (int i = 0; i < results.size(); i++) {
                        if (results.get(i) == 1) {
                            left.remove(together.get(i));
                            done++;
                        }
                    }
                }
                for (Trashed each : page) {
                    at = at.after(each.deleted(), left.contains(each));
                }
                if (done < most && (done > 0 || !untilFound) && !mayGoOn.getAsBoolean()) {
                    return new Restored(done, at.text());
                }
            }
            return new Restored(done, null);
        } catch (JobStoreException e) {
            if (done == 0) {
                throw e;
            }
            return new Restored(done, at.text()); // report the restored jobs; the next call fails if Redis still does
        }
    }

    /** Consecutive jobs with the same destination, in their order. */
    private List<List<Trashed>> grouped(List<Trashed> jobs) {
        List<List<Trashed>> groups = new ArrayList<>();
        long bytes = 0;
        for (Trashed job : jobs) {
            List<Trashed> last = groups.isEmpty() ? List.of() : groups.get(groups.size() - 1);
            int most = job.before().length > 0 ? TOGETHER_IN_QUEUE : CallBounds.JOBS;
            long size = (long) job.entry().length + job.stored().length + job.before().length;
            boolean same = !last.isEmpty()
                    && last.size() < most
                    && bytes + size <= bounds.bytes()
                    && last.get(0).set() == job.set()
                    && last.get(0).ordered() == job.ordered()
                    && last.get(0).queue().equals(job.queue())
                    && (last.get(0).before().length > 0) == (job.before().length > 0);
            if (same) {
                last.add(job);
            } else {
                groups.add(new ArrayList<>(List.of(job)));
                bytes = 0;
            }
            bytes += size;
        }
        return groups;
    }

    /** Empties the trash for good. Returns how many jobs were in it. */
    public long empty() {
        return trash.empty();
    }

    static void check(String batch) {
        if (!BATCH.matcher(batch).matches()) {
            throw new IllegalArgumentException("'batch' must be 1 to 64 letters, digits and dashes");
        }
    }

    /**
     * How far a search has come through the trash, from the newest entry to the oldest. It doesn't count entries, since
     * others may delete and restore jobs meanwhile.
     *
     * @param latest the time of deletion that it has reached, as stored
     * @param skip how many entries of that time it looked at that are still there
     */
    private record Cursor(double latest, long skip) {

        private static final Cursor NEWEST = new Cursor(Double.POSITIVE_INFINITY, 0);

        static Cursor parse(String text) {
            return CursorText.parse(text, 2, parts -> {
                Cursor cursor = new Cursor(Double.parseDouble(parts[0]), Long.parseLong(parts[1]));
                return Double.isNaN(cursor.latest) || cursor.skip < 0 ? null : cursor;
            });
        }

        /** The same after another entry. */
        Cursor after(double deleted, boolean stays) {
            return new Cursor(deleted, (deleted == latest ? skip : 0) + (stays ? 1 : 0));
        }

        String text() {
            return CursorText.of(latest, skip);
        }
    }
}
