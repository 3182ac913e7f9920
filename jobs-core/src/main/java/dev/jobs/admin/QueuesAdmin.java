package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.jobs.Internal;
import dev.jobs.admin.QueueInfo.OrderedBy;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The queues: lists and finds them and their jobs, pauses, resumes and clears them. {@link JobsAdmin#queues} returns
 * it. Thread-safe; throws what {@link JobsAdmin} throws, and IllegalArgumentException for an empty name.
 *
 * <p>Reading stops when its budget is used up. Jobs may move while they are read: a job may then be missed or found
 * twice.
 */
public final class QueuesAdmin {

    /**
     * A job may have moved this many hundred positions back since its position was read, as when a process hands its
     * jobs back.
     */
    private static final long BLOCKS_OF_DRIFT = 2;

    /** In an ordered queue, other jobs may come before a job. */
    private static final long ANYWHERE = Long.MAX_VALUE;

    /** In a job that is cut; inside a text, the quotes would have backslashes before them. */
    private static final Pattern TIME =
            Pattern.compile("[,{]\\s*\"(enqueued_at|created_at)\"\\s*:\\s*([0-9.eE+-]{1,40})\\s*(?=[,}])");

    private final JobQueues queues;
    private final JobSets sets;
    private final ClearedQueues clearing;
    private final QueueMoves moves;
    private final Function<String, @Nullable OrderedBy> orderedBy;
    private final Clock clock;

    /** @param orderedBy what orders a queue; null if nothing does */
    @Internal
    public QueuesAdmin(
            JobQueues queues,
            JobSets sets,
            ClearedQueues clearing,
            Function<String, @Nullable OrderedBy> orderedBy,
            Clock clock) {
        this.queues = queues;
        this.sets = sets;
        this.clearing = clearing;
        this.moves = new QueueMoves(queues, sets);
        this.orderedBy = orderedBy;
        this.clock = clock;
    }

    /** All queues by name, at most 10,000. */
    public List<QueueInfo> all() {
        return named(queues.names().stream().sorted().toList());
    }

    /** The number of jobs in each queue, by name; 0 in a broken one. At most 10,000 queues. */
    public SortedMap<String, Long> sizes() {
        return new TreeMap<>(queues.sizes(queues.names()));
    }

    /** These queues, in this order, whether a job was ever in them or not. */
    public List<QueueInfo> named(List<String> names) {
        Set<String> paused = queues.paused();
        Instant now = clock.instant();
        return queues.states(names).stream()
                .map(state -> new QueueInfo(
                        state.name(),
                        state.size(),
                        latency(state, now),
                        paused.contains(state.name()),
                        state.broken(),
                        orderedBy.apply(state.name())))
                .toList();
    }

    /** One queue, if a job is or was in it. */
    public Optional<QueueInfo> find(String queue) {
        check(queue);
        QueueInfo info = named(List.of(queue)).get(0);
        return info.size() > 0 || info.broken() || queues.knows(queue) ? Optional.of(info) : Optional.empty();
    }

    private static Duration latency(JobQueues.State state, Instant now) {
        byte[] next = state.next();
        if (next == null) {
            return Duration.ZERO;
        }
        JobRecord job = JobRecord.inQueue("", state.cut() ? times(next) : next);
        Instant enqueued = job.enqueuedAt();
        Instant since = enqueued != null ? enqueued : job.createdAt();
        // no job is older than 1970, and longer durations than that don't fit everywhere
        return since == null || since.isBefore(Instant.EPOCH) || since.isAfter(now)
                ? Duration.ZERO
                : Duration.between(since, now);
    }

    /**
     * A job with only the times found in the last bytes of a job that is too large to be read: they are usually there,
     * after the arguments.
     */
    private static byte[] times(byte[] end) {
        StringBuilder job = new StringBuilder("{\"cut\":true");
        Matcher time = TIME.matcher(new String(end, ISO_8859_1));
        while (time.find()) {
            job.append(",\"").append(time.group(1)).append("\":").append(time.group(2)); // the last one counts
        }
        return job.append('}').toString().getBytes(ISO_8859_1);
    }

    /**
     * Matching jobs of a queue.
     *
     * @param from the position to begin at, counted from that end of the queue, 0 or more; {@link Page#next} of the
     *     page before
     * @param size jobs at most, 1 to 200
     */
    public Page<ListedJob> jobs(
            String queue, Order order, Predicate<? super JobRecord> wanted, long from, int size, ScanBudget budget) {
        check(queue);
        long total = queues.size(queue);
        Page<ListedJob> page = new BudgetedScan(budget).page(pages(queue, order), total, wanted, from, size);
        return order == Order.OLDEST_FIRST
                ? page
                : page.map(each -> new ListedJob(each.job(), Math.max(0, total - 1 - each.index())));
    }

    /** How many jobs of a queue match. */
    public JobCount count(String queue, Predicate<? super JobRecord> wanted, ScanBudget budget) {
        check(queue);
        return new BudgetedScan(budget).count(pages(queue, Order.OLDEST_FIRST), queues.size(queue), wanted);
    }

    /**
     * The jobs with that id, of which there may be several, the one that is taken next first; at most 20.
     *
     * @param jid 1 to 200 characters
     */
    public Found<ListedJob> findById(String queue, String jid, ScanBudget budget) {
        Found.checkJid(jid);
        Page<ListedJob> page =
                jobs(queue, Order.OLDEST_FIRST, job -> jid.equals(job.jid()), 0, Found.MOST_OF_ONE_ID, budget);
        return new Found<>(page.items(), page.next() >= 0);
    }

    /**
     * The jobs that were at these addresses and are still in the queue, those farthest from the front first. Jobs only
     * move towards the front, except for a few that a process hands back, so each is searched for from a little behind
     * its last position to the front. Of equal jobs any are found, as many as are requested.
     */
    public Found<ListedJob> findAt(String queue, Collection<JobAddress> addresses, ScanBudget budget) {
        check(queue);
        NearbySearch search = new NearbySearch(budget);
        long size = queues.size(queue);
        boolean sorted = queues.isSorted(queue) || queues.listed(queue) < size;
        List<ListedJob> found = search.look(
                pages(queue, Order.OLDEST_FIRST), size, sorted ? ANYWHERE : BLOCKS_OF_DRIFT, List.copyOf(addresses));
        return new Found<>(
                found.stream()
                        .sorted(Comparator.comparingLong(ListedJob::index).reversed())
                        .toList(),
                search.isPartial());
    }

    private BudgetedScan.Pages pages(String queue, Order order) {
        return (from, count) -> (order == Order.NEWEST_FIRST
                        ? queues.newest(queue, from, count)
                        : queues.oldest(queue, from, count))
                .stream().map(stored -> JobRecord.inQueue(queue, stored)).toList();
    }

    /**
     * Deletes one job for good; of equal ones the newest, or any of them if it has effects. Returns whether it was in
     * the queue. Takes longer in a longer queue.
     */
    public boolean delete(String queue, byte[] job) {
        check(queue);
        return sets.hasEffects(job)
                ? sets.moveFromQueue(queue, List.of(sets.delete(job))).get(0) == 1
                : queues.delete(queue, job);
    }

    /**
     * Deletes all jobs of a queue for good, in one step; the queue is no longer listed until a job is enqueued to it.
     * Returns their number.
     */
    public long clear(String queue) {
        check(queue);
        return clearing.clear(queue);
    }

    /**
     * Moves a job to the end of another queue, whose name it has from then on. Returns the job as it is stored there,
     * or null if it was not in the queue. Takes longer in a longer queue.
     *
     * @throws dev.jobs.JobsException if the stored bytes are not a job; they stay in the queue
     */
    public @Nullable JobRecord move(String queue, byte[] job, String to) {
        check(queue);
        return moves.move(queue, job, to);
    }

    /**
     * Moves all jobs of a queue to the end of another one, in their order, as {@link #move}; others may be added
     * meanwhile, and stay. One step of it: the next one goes on where it ended.
     *
     * @param cursor of the result of the step before, or null for the first step
     * @param time how long the step takes at most; checked after every hundred jobs
     */
    public BulkResult moveAll(String queue, String to, @Nullable String cursor, Duration time) {
        check(queue);
        return moves.moveAll(queue, to, cursor, time);
    }

    /**
     * Removes a queue without jobs from the list of queues. Deletes a key of the queue that holds another type: of an
     * ordered queue, which has two, also if there are jobs in the other one, which stay. Returns whether it did
     * anything: false if there are jobs in the queue and it isn't broken.
     */
    public boolean forget(String queue) {
        check(queue);
        return clearing.forget(queue);
    }

    /**
     * Stops workers from taking jobs of a queue; Ruby's free edition ignores it. Returns whether the queue was not
     * paused before.
     */
    public boolean pause(String queue) {
        check(queue);
        return queues.pause(queue);
    }

    /** Lets workers take jobs of a queue again. Returns whether it was paused. */
    public boolean resume(String queue) {
        check(queue);
        return queues.resume(queue);
    }

    /** The names of paused queues, sorted, at most 10,000. */
    public Set<String> paused() {
        return queues.paused();
    }

    private static void check(String queue) {
        if (queue.isEmpty()) {
            throw new IllegalArgumentException("'queue' must be the name of a queue but was empty");
        }
    }
}
