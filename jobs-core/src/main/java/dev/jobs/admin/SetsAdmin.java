package dev.jobs.admin;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Move;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The scheduled, retry and dead set: lists and finds their jobs, and runs, kills, deletes and reschedules them, one by
 * its stored bytes or {@linkplain #all all that match}. {@link JobsAdmin#sets} returns it. Thread-safe; throws what
 * {@link JobsAdmin} throws.
 *
 * <p>Reading stops when its budget is used up. Jobs may move while they are read: a job may then be missed or found
 * twice.
 */
public final class SetsAdmin {

    private static final int MOVED = 1;
    private static final int REFUSED = -1;

    private final JobSets sets;
    private final SetMoves moves;
    private final RestorableJobs trash;

    @Internal
    public SetsAdmin(JobSets sets, SetMoves moves, RestorableJobs trash) {
        this.sets = sets;
        this.moves = moves;
        this.trash = trash;
    }

    /**
     * Matching jobs of a set: scheduled and failed ones soonest first, dead ones newest first.
     *
     * @param from the position to begin at, 0 or more: that of the job, or {@link Page#next} of the page before
     * @param size jobs at most, 1 to 200
     */
    public Page<ListedJob> jobs(
            JobSet set, Predicate<? super JobRecord> wanted, long from, int size, ScanBudget budget) {
        return jobs(SetPart.all(set), wanted, from, size, budget);
    }

    /**
     * Matching jobs of a part of a set. {@link ListedJob#index} is the position in the whole set, in its usual order.
     *
     * @param from the position in the part to begin at; otherwise like the other method
     */
    public Page<ListedJob> jobs(
            SetPart part, Predicate<? super JobRecord> wanted, long from, int size, ScanBudget budget) {
        Stretch stretch = stretch(part);
        return new BudgetedScan(budget)
                .page(stretch.pages(), stretch.size(), wanted, from, size)
                .map(each -> new ListedJob(each.job(), stretch.position(each.index())));
    }

    /** How many jobs of a set match. */
    public JobCount count(JobSet set, Predicate<? super JobRecord> wanted, ScanBudget budget) {
        return count(SetPart.all(set), wanted, budget);
    }

    /** How many jobs of a part of a set match. */
    public JobCount count(SetPart part, Predicate<? super JobRecord> wanted, ScanBudget budget) {
        Stretch stretch = stretch(part);
        return new BudgetedScan(budget).count(stretch.pages(), stretch.size(), wanted);
    }

    /**
     * Where a part is at present.
     *
     * @param begin the position of its first job in the usual order of the set
     * @param end the position behind its last one
     */
    private record Stretch(BudgetedScan.Pages whole, long begin, long end, boolean turned) {

        long size() {
            return end - begin;
        }

        long position(long index) {
            return turned ? Math.max(begin, end - 1 - index) : begin + index;
        }

        /** Ends with the part. */
        BudgetedScan.Pages pages() {
            return (from, count) -> {
                int most = (int) Math.min(count, Math.max(0, size() - from));
                return most == 0 ? List.of() : whole.read(from, most);
            };
        }
    }

    private Stretch stretch(SetPart part) {
        JobSet set = part.set();
        boolean highestFirst = part.highestFirst();
        long size = sets.size(set.stored());
        Instant first = highestFirst ? part.until() : part.since();
        Instant last = highestFirst ? part.since() : part.until();
        long begin = first == null ? 0 : span(set, first).before();
        JobSets.Span atLast = last == null ? new JobSets.Span(size, 0) : span(set, last);
        long end = Math.max(begin, atLast.before() + atLast.count());
        long skipped = part.turned() ? Math.max(0, size - end) : begin;
        boolean fromHighest = highestFirst != part.turned();
        return new Stretch(
                (from, count) -> records(
                        set,
                        fromHighest
                                ? sets.highest(set.stored(), skipped + from, count)
                                : sets.lowest(set.stored(), skipped + from, count)),
                begin,
                end,
                part.turned());
    }

    private JobSets.Span span(JobSet set, Instant at) {
        return sets.span(set.stored(), JobSets.score(at), set == JobSet.DEAD);
    }

    /** The jobs of a set grouped by name and cause of their failure, with the names as they may be shown. */
    public FailureGroups failures(JobSet set, ArgumentMasking masking, ScanBudget budget) {
        long total = sets.size(set.stored());
        FailureGroups.Builder groups = new FailureGroups.Builder(masking);
        long next = new BudgetedScan(budget).through(pages(set), 0, BudgetedScan.MOST_ON_PAGE, groups);
        return groups.build(total, next >= 0 && next < total);
    }

    private BudgetedScan.Pages pages(JobSet set) {
        return (from, count) -> records(
                set,
                set == JobSet.DEAD ? sets.highest(set.stored(), from, count) : sets.lowest(set.stored(), from, count));
    }

    private static List<JobRecord> records(JobSet set, List<JobSets.Entry> entries) {
        return entries.stream()
                .map(entry -> JobRecord.inSet(set, entry.payload(), entry.score()))
                .toList();
    }

    /**
     * The jobs with that id, of which there may be several, in the order of {@link #jobs}; at most 20. Redis itself
     * searches, so this is the cheapest search in a large set.
     *
     * @param jid 1 to 200 characters
     */
    public Found<ListedJob> findById(JobSet set, String jid, ScanBudget budget) {
        Found.checkJid(jid);
        String quoted;
        try {
            quoted = new String(JsonText.encode(jid), StandardCharsets.UTF_8);
        } catch (JsonException e) {
            return new Found<>(List.of(), false); // no JSON text can contain it, so no job has it
        }
        Set<JobRecord> found = new LinkedHashSet<>(); // a scan may return a job twice
        boolean complete = new BudgetedScan(budget)
                .scan(
                        sets.scan(set.stored(), quoted),
                        entry -> {
                            JobRecord record = JobRecord.inSet(set, entry.payload(), entry.score());
                            if (found.size() <= Found.MOST_OF_ONE_ID && Objects.equals(record.jid(), jid)) {
                                found.add(record);
                            }
                        },
                        () -> found.size() > Found.MOST_OF_ONE_ID);
        Comparator<JobRecord> soonestFirst = Comparator.comparingDouble(JobRecord::score);
        return new Found<>(
                found.stream()
                        .limit(Found.MOST_OF_ONE_ID)
                        .sorted(set == JobSet.DEAD ? soonestFirst.reversed() : soonestFirst)
                        .map(job -> listed(set, job))
                        .toList(),
                !complete || found.size() > Found.MOST_OF_ONE_ID);
    }

    /** A job with its present position; at the beginning if it has just left the set. */
    private ListedJob listed(JobSet set, JobRecord job) {
        Long rank = sets.rank(set.stored(), job.stored(), set == JobSet.DEAD);
        return new ListedJob(job, rank == null ? 0 : rank);
    }

    /**
     * The jobs that were at these addresses and are still in the set with the same score. They are searched for around
     * their last positions, the nearest first.
     */
    public Found<ListedJob> findAt(JobSet set, Collection<JobAddress> addresses, ScanBudget budget) {
        NearbySearch search = new NearbySearch(budget);
        Map<Double, List<JobAddress>> byScore = new LinkedHashMap<>();
        addresses.forEach(each -> byScore.computeIfAbsent(each.score(), score -> new ArrayList<>())
                .add(each));
        List<ListedJob> found = new ArrayList<>();
        byScore.forEach((score, sought) -> found.addAll(findAt(set, score, sought, search)));
        return new Found<>(found, search.isPartial());
    }

    /** Counts positions from the first job of that score, so that jobs of other scores can't shift them. */
    private List<ListedJob> findAt(JobSet set, double score, List<JobAddress> sought, NearbySearch search) {
        boolean highestFirst = set == JobSet.DEAD;
        JobSets.Span span = sets.span(set.stored(), score, highestFirst);
        LongUnaryOperator turned = index -> highestFirst ? span.count() - 1 - index : index;
        BudgetedScan.Pages sameScore =
                (from, count) -> records(set, sets.between(set.stored(), score, score, from, count));
        List<JobAddress> there = sought.stream()
                .map(each -> new JobAddress(score, turned.applyAsLong(each.index() - span.before()), each.digest()))
                .toList();
        List<ListedJob> found = search.look(sameScore, span.count(), Long.MAX_VALUE, there);
        if (found.size() < there.size()
                && sets.span(set.stored(), score, highestFirst).count() != span.count()) {
            search.mayHaveMissed();
        }
        return found.stream()
                .map(each -> new ListedJob(each.job(), span.before() + turned.applyAsLong(each.index())))
                .toList();
    }

    /** All jobs of a set, for an action such as {@code admin.sets().all(JobSet.RETRY).run()}. */
    public MatchingJobs all(JobSet set) {
        return all(set, job -> true);
    }

    /**
     * All matching jobs of a set, for an action such as
     * {@code admin.sets().all(JobSet.DEAD, job -> "Import".equals(job.name())).delete()}.
     */
    public MatchingJobs all(JobSet set, Predicate<? super JobRecord> wanted) {
        return new MatchingJobs(sets, moves, trash, set, wanted);
    }

    /** Deletes a job for good. Returns whether it was in the set. */
    public boolean delete(JobSet set, byte[] job) {
        return move(set, moves.delete(job));
    }

    /**
     * Moves a job to its queue, as if it were due now. A failed or dead one has one retry fewer behind it afterwards,
     * so that this run uses up none. A job that expires does so counted from now, and a dead one is no longer
     * cancelled.
     *
     * @throws JobsException if the stored bytes are not a job; they stay in the set
     * @throws RuntimeException what an enqueue middleware threw; the job stays in the set
     */
    public RunResult runNow(JobSet set, byte[] job) {
        Payload payload = parse(set, job);
        if (sets.score(set.stored(), job) == null) {
            return RunResult.GONE; // don't call the middleware for a job that is gone
        }
        Move move = moves.toQueue(set, job, payload);
        if (move == null) {
            return RunResult.VETOED;
        }
        return move(set, move) ? RunResult.ENQUEUED : RunResult.GONE;
    }

    /**
     * Moves a scheduled or failed job to the dead set and notifies the death handlers. Returns whether it was in the
     * set.
     */
    public boolean kill(JobSet set, byte[] job) {
        SetMoves.checkMortal(set);
        boolean killed = move(set, moves.toDead(job));
        if (killed) {
            moves.notifyDeath(JobRecord.inSet(set, job.clone(), 0));
        }
        return killed;
    }

    /**
     * Gives a scheduled or failed job another time, 1970 or later; a past one means now. A job that expires does so
     * counted from that time, so its stored bytes change. Returns whether it was in the set.
     */
    public boolean reschedule(JobSet set, byte[] job, Instant at) {
        SetMoves.checkTime(set, at);
        return move(set, moves.toTime(set, JobRecord.inSet(set, job.clone(), 0), at));
    }

    /**
     * Lets a scheduled or failed job wait in another queue once it is due. Returns the job as it is stored then, or
     * null if it was not in the set.
     *
     * @throws JobsException if the stored bytes are not a job; they stay as they are
     */
    public @Nullable JobRecord move(JobSet set, byte[] job, String queue) {
        SetMoves.checkMovable(set, queue);
        parse(set, job);
        Double score = sets.score(set.stored(), job);
        if (score == null) {
            return null;
        }
        JobRecord record = JobRecord.inSet(set, job.clone(), score);
        Move move = moves.toOtherQueue(set, record, queue);
        if (move == null) {
            return record;
        }
        return move(set, move) ? JobRecord.inSet(set, move.payload(), score) : null;
    }

    private boolean move(JobSet set, Move move) {
        int result = sets.move(set.stored(), List.of(move)).get(0);
        if (result == REFUSED) {
            String where = move.queue().isEmpty() ? "the dead set" : "queue '" + move.queue() + "'";
            throw new JobStoreException(
                    Kind.WRONG_TYPE,
                    "The key of " + where + " holds another type than it should, so the job stays in the " + set.label()
                            + "; remove that key first",
                    null);
        }
        return result == MOVED;
    }

    private static Payload parse(JobSet set, byte[] stored) {
        try {
            return Payload.parse(stored.clone());
        } catch (InvalidPayloadException e) {
            throw new JobsException(
                    "This entry of the " + set.label() + " can't be run, it stays there: " + e.getMessage()
                            + " Delete it" + (set == JobSet.DEAD ? "." : " or kill it."),
                    e);
        }
    }
}
