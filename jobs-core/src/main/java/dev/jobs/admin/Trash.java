package dev.jobs.admin;

import dev.jobs.JobStoreException;
import dev.jobs.codec.RubyTime;
import dev.jobs.redis.CallLimits;
import dev.jobs.redis.JobQueues;
import dev.jobs.redis.JobTrash;
import dev.jobs.redis.JobTrash.Added;
import dev.jobs.redis.JobTrash.Fate;
import dev.jobs.redis.JobTrash.Trashed;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Deletes jobs in a way that can be undone for a day. Keeps the most recently deleted jobs, at most 10,000 and 64 MB; a
 * single larger job is deleted for good. A job moves to the trash in one step and is restored in one step: to its set
 * with its score, or to its queue behind the job that was before it, or to the front if that job is gone.
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
     * @param more whether there was not enough time for all: call again
     */
    public record Restored(long done, boolean more) {}

    private final JobTrash trash;
    private final JobQueues queues;
    private final Clock clock;

    Trash(JobTrash trash, JobQueues queues, Clock clock) {
        this.trash = trash;
        this.queues = queues;
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
        for (List<byte[]> stored : CallLimits.cut(all, each -> each.length)) {
            deleted = deleted.plus(trash.add(set.stored(), stored, batch));
            progress.accept(deleted);
        }
        return deleted;
    }

    /** Deletes jobs of a queue, in the order in which {@link QueuesAdmin#findAt} returns them; of equal ones any. */
    public Deleted delete(String queue, List<PlacedJob> jobs, String batch, Consumer<? super Deleted> progress) {
        check(batch);
        long size = queues.size(queue);
        Deleted deleted = Deleted.NOTHING;
        for (PlacedJob each : jobs) {
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
        return queues.someOldest(queue, from, (int) Math.min(CallLimits.JOBS, most))
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
        long total = trash.size(now);
        List<TrashedJob> jobs =
                trash.newest(now, from, size).stream().map(Trash::shown).toList();
        return new Page<>(jobs, from, from + size < total ? from + size : -1, total, false);
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

    /** Restores the jobs of a batch that are still in the trash, for about that time at most. */
    public Restored restoreBatch(String batch, Duration time) {
        check(batch);
        return restore(each -> each.batch().equals(batch), time);
    }

    /** Restores single jobs, for about that time at most. */
    public Restored restore(Set<String> ids, Duration time) {
        return restore(each -> ids.contains(id(each)), time);
    }

    /** The most recently deleted first, so that jobs of a queue are restored in the reverse order of their deletion. */
    private Restored restore(Predicate<Trashed> wanted, Duration time) {
        BooleanSupplier mayGoOn = BulkPass.until(time);
        Instant now = clock.instant();
        long done = 0;
        long stayed = 0;
        try {
            while (true) {
                List<Trashed> page = trash.some(now, stayed, CallLimits.JOBS);
                if (page.isEmpty()) {
                    return new Restored(done, false);
                }
                long back = 0;
                for (List<Trashed> together :
                        grouped(page.stream().filter(wanted).toList())) {
                    int some = Collections.frequency(trash.restore(together), 1);
                    back += some;
                    done += some;
                }
                stayed += page.size() - back;
                if (done > 0 && !mayGoOn.getAsBoolean()) {
                    return new Restored(done, true);
                }
            }
        } catch (JobStoreException e) {
            if (done == 0) {
                throw e;
            }
            return new Restored(done, true); // report the restored jobs; the next call fails if Redis still does
        }
    }

    /** Consecutive jobs with the same destination, in their order. */
    private static List<List<Trashed>> grouped(List<Trashed> jobs) {
        List<List<Trashed>> groups = new ArrayList<>();
        long bytes = 0;
        for (Trashed job : jobs) {
            List<Trashed> last = groups.isEmpty() ? List.of() : groups.get(groups.size() - 1);
            int most = job.before().length > 0 ? TOGETHER_IN_QUEUE : CallLimits.JOBS;
            long size = (long) job.entry().length + job.stored().length + job.before().length;
            boolean same = !last.isEmpty()
                    && last.size() < most
                    && bytes + size <= CallLimits.BYTES
                    && last.get(0).set() == job.set()
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
}
