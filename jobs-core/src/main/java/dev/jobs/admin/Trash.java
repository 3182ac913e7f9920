package dev.jobs.admin;

import dev.jobs.redis.JobQueues;
import dev.jobs.redis.JobTrash;
import dev.jobs.redis.JobTrash.Fate;
import dev.jobs.redis.JobTrash.Trashed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Deletes jobs in a way that can be undone for a day. Of all deleted jobs the newest are kept, 10,000 and 64 MB of them at most; a single
 * larger one is deleted for good. A job leaves its place and is in the trash in one step, and comes back in one step: with its score to its
 * set, in a queue behind the job that was to be taken before it, or, when that one is gone, to the front.
 *
 * <p>{@link JobsAdmin#trash} has it. Thread-safe; throws what {@link JobsAdmin} throws.
 */
public final class Trash {

    /** Jobs of a queue that is cleared into the trash; more are cleared for good. */
    public static final long MOST_CLEARED = 10_000;

    private static final Pattern BATCH = Pattern.compile("[A-Za-z0-9-]{1,64}");
    private static final int TOGETHER = 100;

    /** Each has to be looked for in its queue, from one of its ends. */
    private static final int TOGETHER_IN_QUEUE = 4;

    /**
     * What became of jobs that were to be deleted.
     *
     * @param done jobs that were deleted
     * @param gone jobs that were there no more
     * @param restorable how many of those deleted are in the trash
     */
    public record Deleted(long done, long gone, long restorable) {

        static final Deleted NOTHING = new Deleted(0, 0, 0);

        Deleted plus(List<Fate> fates) {
            long kept = Collections.frequency(fates, Fate.KEPT);
            return new Deleted(
                    done + kept + Collections.frequency(fates, Fate.REMOVED),
                    gone + Collections.frequency(fates, Fate.GONE),
                    restorable + kept);
        }
    }

    /**
     * What became of jobs that were to be taken back.
     *
     * @param done jobs that are back
     * @param more whether there are more of them than could be taken back in the time: call again
     */
    public record Restored(long done, boolean more) {}

    private final JobTrash trash;
    private final JobQueues queues;

    Trash(JobTrash trash, JobQueues queues) {
        this.trash = trash;
        this.queues = queues;
    }

    /**
     * Deletes jobs of a set.
     *
     * @param batch a name for what is to be undone together, 1 to 64 letters, digits and dashes
     */
    public Deleted delete(JobSet set, List<JobRecord> jobs, String batch) {
        check(batch);
        Deleted deleted = Deleted.NOTHING;
        for (int from = 0; from < jobs.size(); from += TOGETHER) {
            List<byte[]> stored = jobs.subList(from, Math.min(from + TOGETHER, jobs.size())).stream()
                    .map(JobRecord::stored)
                    .toList();
            deleted = deleted.plus(trash.add(set.stored(), stored, batch));
        }
        return deleted;
    }

    /** Deletes jobs of a queue, as {@link JobBrowser#find(String, long, Set, ScanBudget)} found them; of equal ones any. */
    public Deleted delete(String queue, List<PlacedJob> jobs, String batch) {
        check(batch);
        long size = queues.size(queue);
        Deleted deleted = Deleted.NOTHING;
        for (PlacedJob each : jobs) {
            boolean fromNewest = each.index() > size / 2;
            List<byte[]> before = each.index() == 0 ? List.of() : queues.range(queue, -each.index(), -each.index());
            deleted = deleted.plus(trash.add(
                    queue,
                    List.of(each.job().stored()),
                    List.of(before.isEmpty() ? new byte[0] : before.get(0)),
                    batch,
                    fromNewest));
        }
        return deleted;
    }

    /** Whether {@link #clear} would keep the jobs of a queue. */
    public boolean wouldKeep(QueueInfo queue) {
        return !queue.broken() && queue.size() <= MOST_CLEARED;
    }

    /**
     * Clears a queue as it stands, the oldest jobs first; it stays listed until it is cleared when it is empty. A queue of more than 10,000 jobs, or a broken one, is cleared for good in one step,
     * as {@link JobsAdmin#clear} does it.
     */
    public Deleted clear(QueueInfo queue, String batch) {
        check(batch);
        Deleted deleted = Deleted.NOTHING;
        for (long left = wouldKeep(queue) ? queue.size() : 0; left > 0; ) {
            int count = (int) Math.min(TOGETHER, left);
            List<byte[]> oldest = new ArrayList<>(queues.range(queue.name(), -count, -1));
            if (oldest.isEmpty()) {
                break;
            }
            left -= oldest.size();
            Collections.reverse(oldest);
            // without a neighbour: taken back in the opposite order, each is put before all others
            List<byte[]> before = Collections.nCopies(oldest.size(), new byte[0]);
            deleted = deleted.plus(trash.add(queue.name(), oldest, before, batch, false));
        }
        if (!wouldKeep(queue) || queue.size() == 0) {
            return new Deleted(queues.clear(queue.name()), 0, 0);
        }
        return deleted;
    }

    /**
     * Jobs in the trash, newest first.
     *
     * @param from the place to begin at, 0 or more
     * @param size 1 to 200
     */
    public Slice<TrashedJob> list(long from, int size) {
        long total = trash.size();
        List<TrashedJob> jobs =
                trash.newest(from, size).stream().map(Trash::shown).toList();
        return new Slice<>(jobs, from, from + size < total ? from + size : -1, total, false);
    }

    private static TrashedJob shown(Trashed trashed) {
        return new TrashedJob(id(trashed), trashed.batch(), Lenient.time(trashed.deleted()), record(trashed));
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

    /** Takes back what was deleted together, as far as it is still there, for at most about so long. */
    public Restored restoreBatch(String batch, Duration time) {
        check(batch);
        return restore(each -> each.batch().equals(batch), time);
    }

    /** Takes back single jobs, for at most about so long. */
    public Restored restore(Set<String> ids, Duration time) {
        return restore(each -> ids.contains(id(each)), time);
    }

    /** From the newest on, so that jobs of a queue come back in the opposite order of their deletion. */
    private Restored restore(Predicate<Trashed> wanted, Duration time) {
        BooleanSupplier mayGoOn = BulkSteps.until(time);
        long done = 0;
        long stayed = 0;
        while (true) {
            List<Trashed> page = trash.newest(stayed, TOGETHER);
            if (page.isEmpty()) {
                return new Restored(done, false);
            }
            long back = 0;
            for (List<Trashed> together : grouped(page.stream().filter(wanted).toList())) {
                back += Collections.frequency(trash.restore(together), 1);
            }
            done += back;
            stayed += page.size() - back;
            if (done > 0 && !mayGoOn.getAsBoolean()) {
                return new Restored(done, true);
            }
        }
    }

    /** Runs of jobs that go to the same place, in their order. */
    private static List<List<Trashed>> grouped(List<Trashed> jobs) {
        List<List<Trashed>> groups = new ArrayList<>();
        for (Trashed job : jobs) {
            List<Trashed> last = groups.isEmpty() ? List.of() : groups.get(groups.size() - 1);
            int most = job.before().length > 0 ? TOGETHER_IN_QUEUE : TOGETHER;
            boolean same = !last.isEmpty()
                    && last.size() < most
                    && last.get(0).set() == job.set()
                    && last.get(0).queue().equals(job.queue())
                    && (last.get(0).before().length > 0) == (job.before().length > 0);
            if (same) {
                last.add(job);
            } else {
                groups.add(new ArrayList<>(List.of(job)));
            }
        }
        return groups;
    }

    /** Empties the trash for good. Returns how many jobs were in it. */
    public long empty() {
        return trash.empty();
    }

    private static void check(String batch) {
        if (!BATCH.matcher(batch).matches()) {
            throw new IllegalArgumentException("'batch' must be 1 to 64 letters, digits and dashes");
        }
    }
}
