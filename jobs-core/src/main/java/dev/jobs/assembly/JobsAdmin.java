package dev.jobs.assembly;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.PayloadTimes;
import dev.jobs.admin.Books;
import dev.jobs.admin.Finding;
import dev.jobs.admin.FindingSource;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.ProcessesAdmin;
import dev.jobs.admin.QueuesAdmin;
import dev.jobs.admin.RecentBooks;
import dev.jobs.admin.RedisFindings;
import dev.jobs.admin.SetMoves;
import dev.jobs.admin.SetsAdmin;
import dev.jobs.admin.Stats;
import dev.jobs.admin.WaitReasons;
import dev.jobs.admin.Warnings;
import dev.jobs.admin.Workforce;
import dev.jobs.batches.BatchCancellations;
import dev.jobs.batches.BatchCheck;
import dev.jobs.batches.BatchEffects;
import dev.jobs.batches.BatchInquiry;
import dev.jobs.batches.BatchReader;
import dev.jobs.batches.BatchStore;
import dev.jobs.batches.BatchesAdmin;
import dev.jobs.ends.Cancellations;
import dev.jobs.gauges.GaugeReadings;
import dev.jobs.iterations.IterationInfo;
import dev.jobs.iterations.IterationStore;
import dev.jobs.leases.JobRecoveries;
import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.LimitersAdmin;
import dev.jobs.limits.LimitStates;
import dev.jobs.limits.LimitedJob;
import dev.jobs.limits.LimitsAdmin;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobCounters;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.Ledger;
import dev.jobs.metrics.DeployMarks;
import dev.jobs.metrics.JobMetrics;
import dev.jobs.metrics.JobTimings;
import dev.jobs.metrics.MetricsAdmin;
import dev.jobs.ordered.OrderedQueuesAdmin;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.processes.SharedReading;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.ServerInfo;
import dev.jobs.results.JobProgress;
import dev.jobs.results.JobReports;
import dev.jobs.results.ResultEffects;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.EffectSource;
import dev.jobs.store.StoredSet;
import dev.jobs.trash.JobTrash;
import dev.jobs.trash.Trash;
import dev.jobs.unique.JobLocks;
import dev.jobs.unique.LockEffects;
import dev.jobs.unique.LocksAdmin;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Inspects and repairs jobs: {@link #queues}, {@link #sets}, {@link #processes}, {@link #metrics}, the {@link #trash},
 * {@link #batches}, the {@link #locks}, the {@link #limits}, the {@link #limiters}, {@link #ordered} queues, and what
 * concerns all of them. Sees everything in its Redis, whether Java or Ruby stored it. Thread-safe; has one connection,
 * opened at its first use.
 *
 * <p>An action on one job of a queue or set names it by its exact stored bytes ({@link JobRecord#bytes()}), since ids
 * may be missing or duplicate. If the job is gone, the action returns so and does nothing.
 *
 * <p>A large queue or set makes no call slower, with two exceptions: deleting one job from a queue, which searches for
 * it from the newest end, and {@linkplain SetsAdmin#all actions on all jobs} without a limit. Redis may contain
 * anything: overviews omit unreadable data or show it as empty. Every call throws {@link JobStoreException} if Redis
 * can't be reached or refuses the call; calls that read one queue or set throw it also if its key holds another type.
 */
public final class JobsAdmin implements AutoCloseable {

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Clock clock;
    private final JobCounters counters;
    private final Ledger ledger;
    private final JobSets storedSets;
    private final IterationStore iterations;
    private final JobReports reports;
    private final JobRecoveries recoveries;
    private final Cancellations cancellations;
    private final QueuesAdmin queues;
    private final SetsAdmin sets;
    private final ProcessesAdmin processes;
    private final MetricsAdmin metrics;
    private final Trash trash;
    private final BatchesAdmin batches;
    private final LocksAdmin locks;
    private final LimitersAdmin limiters;
    private final LimitsAdmin limits;
    private final OrderedQueuesAdmin ordered;
    private final Warnings warnings;
    private final WaitReasons waitReasons;
    private final SharedReading gauges;
    private final RecentBooks recentBooks;

    /**
     * @param dead bounds of the dead set, applied when jobs are killed here
     * @param hooks whose enqueue middleware is called before a job is run now, and whose death handlers are notified of
     *     a killed job
     * @param clock for times that are stored or compared with stored ones
     * @param times how times are written into payloads
     * @param findings what adds to the {@link #warnings}; asked for at each call
     */
    @Internal
    public JobsAdmin(
            RedisConnections redis,
            DeadSetBounds dead,
            JobHooks hooks,
            Clock clock,
            PayloadTimes times,
            Iterable<RedisFindings> ofThisRedis,
            Iterable<FindingSource> findings) {
        this.connection = redis.open("jobs-admin");
        this.keys = redis.keys();
        this.clock = clock;
        BatchEffects batchEffects = new BatchEffects(redis.keys());
        LockEffects lockEffects = new LockEffects(redis.keys());
        EffectSource effects = batchEffects.and(lockEffects).and(new ResultEffects(redis.keys()));
        this.recentBooks = new RecentBooks(SharedReading.ofBooks(connection, redis.keys()), this::books);
        this.gauges = SharedReading.ofGauges(connection, redis.keys());
        this.counters = new JobCounters(connection, redis.keys());
        this.ledger = new Ledger(connection, redis.keys());
        this.storedSets = new JobSets(connection, redis.keys(), dead, effects);
        this.iterations = new IterationStore(connection, redis.keys());
        this.reports = new JobReports(connection, redis.keys());
        this.recoveries = new JobRecoveries(connection, redis.keys());
        this.cancellations = new Cancellations(connection, redis.keys());
        BatchCancellations cancelledBatches = new BatchCancellations(connection, redis.keys());
        JobQueues storedQueues = new JobQueues(connection, redis.keys());
        JobTrash storedTrash = new JobTrash(connection, redis.keys(), JobTrash.Bounds.standard(), effects);
        this.ordered = new OrderedQueuesAdmin(connection, redis.keys(), storedQueues);
        this.queues = new QueuesAdmin(
                storedQueues,
                storedSets,
                new ClearedQueues(connection, redis.keys(), storedSets, new SecureRandom()),
                ordered::by,
                clock);
        this.sets = new SetsAdmin(
                storedSets,
                new SetMoves(storedSets, List.of(lockEffects, cancellations), hooks, clock, times),
                storedTrash);
        this.processes = new ProcessesAdmin(new ProcessRegistry(connection, redis.keys()));
        this.metrics = new MetricsAdmin(
                counters,
                new JobMetrics(connection, redis.keys()),
                new JobTimings(connection, redis.keys()),
                new DeployMarks(connection, redis.keys()),
                clock);
        this.trash = new Trash(storedTrash, storedQueues, connection.bounds(), clock);
        this.locks = new LocksAdmin(new JobLocks(connection, redis.keys()));
        this.limiters = new LimitersAdmin(new JobLimiters(connection, redis.keys()));
        LimitStates limitStates = new LimitStates(connection, redis.keys());
        this.limits = new LimitsAdmin(limitStates, storedSets, clock);
        List<FindingSource> sources = new ArrayList<>();
        ofThisRedis.forEach(each -> sources.add(each.of(connection, redis.keys(), clock)));
        this.warnings = new Warnings(storedQueues, sources, clock, findings);
        this.waitReasons = new WaitReasons(
                processes,
                storedQueues,
                clock,
                List.of(
                        cancellations,
                        cancelledBatches,
                        WaitReasons.EXPIRED,
                        locks.waitReason(),
                        limits.waitReason(),
                        ordered.waitReason()));
        this.batches = new BatchesAdmin(
                new BatchReader(connection, redis.keys()),
                new BatchStore(connection, redis.keys()),
                new BatchCheck(connection, redis.keys()),
                budget -> new BatchInquiry(storedSets, limitStates, queues, processes, budget, clock.instant()),
                clock);
    }

    /** Writes times in milliseconds, and has no warnings but its own; otherwise like the other constructor. */
    @Internal
    public JobsAdmin(RedisConnections redis, DeadSetBounds dead, JobHooks hooks, Clock clock) {
        this(redis, dead, hooks, clock, PayloadTimes.MILLISECONDS, List.of(), List.of());
    }

    /** The queues and their jobs. */
    public QueuesAdmin queues() {
        return queues;
    }

    /** The scheduled, retry and dead set and their jobs. */
    public SetsAdmin sets() {
        return sets;
    }

    /** The locks of unique jobs. */
    public LocksAdmin locks() {
        return locks;
    }

    /** The limiters that jobs and others use. */
    public LimitersAdmin limiters() {
        return limiters;
    }

    /** The limits on how many jobs run at once, and the jobs that wait for them. */
    public LimitsAdmin limits() {
        return limits;
    }

    /** The jobs that wait in ordered queues. */
    public OrderedQueuesAdmin ordered() {
        return ordered;
    }

    /** The processes and the jobs they run. */
    public ProcessesAdmin processes() {
        return processes;
    }

    /** Executions by job and by day, and deployments. */
    public MetricsAdmin metrics() {
        return metrics;
    }

    /** Deletes jobs in a way that can be undone. */
    public Trash trash() {
        return trash;
    }

    /** The batches and their jobs. */
    public BatchesAdmin batches() {
        return batches;
    }

    /** The most important numbers. */
    public Stats stats() {
        return stats(queues.sizes(), processes.all());
    }

    /**
     * The same, for callers that have read some of it.
     *
     * @param queueSizes as {@link QueuesAdmin#sizes} has just returned them
     * @param live as {@link ProcessesAdmin#all} has
     */
    public Stats stats(Map<String, Long> queueSizes, List<ProcessInfo> live) {
        JobCounters.Count totals = counters.totals();
        Map<StoredSet, Long> sizes = storedSets.sizes();
        return new Stats(
                totals.processed(),
                totals.failed(),
                queueSizes.values().stream().mapToLong(Long::longValue).sum(),
                limits.parked(),
                sizes.getOrDefault(JobSet.SCHEDULED.stored(), 0L),
                sizes.getOrDefault(JobSet.RETRY.stored(), 0L),
                sizes.getOrDefault(JobSet.DEAD.stored(), 0L),
                live.stream().mapToLong(ProcessInfo::busy).sum(),
                live.size(),
                books());
    }

    /** Reads what gauges show, for all processes together. */
    @Internal
    public GaugeReadings gauges() {
        return new GaugeReadings(gauges, queues, processes, limits, batches, this::stats, clock);
    }

    /** The ledger of claimed jobs, or null if it can't be read, for example because its key was overwritten. */
    public @Nullable Books books() {
        try {
            Ledger.Totals books = ledger.read();
            return new Books(
                    books.claimed(),
                    books.acked(),
                    books.moved(),
                    books.requeued(),
                    books.recovered(),
                    books.poisoned(),
                    books.inFlight());
        } catch (JobStoreException e) {
            if (e.isAway()) {
                throw e;
            }
            return null;
        }
    }

    /**
     * The same, as it was at most a few seconds ago: for callers in every process that ask again and again. One of them
     * reads it for all.
     */
    public @Nullable Books recentBooks() {
        return recentBooks.read();
    }

    /** The Redis server's information about itself; nearly empty where {@code INFO} is forbidden or was renamed. */
    public ServerInfo server() {
        try {
            return ServerInfo.parse(connection.serverInfo());
        } catch (JobStoreException e) {
            if (e.isAway()) {
                throw e;
            }
            return ServerInfo.parse("");
        }
    }

    /**
     * Problems that cause no error, the worst first, at most 50. Looks at the sizes of all queues, and at the next job
     * of the 20 largest, and asks each {@link FindingSource}.
     */
    public List<Finding> warnings() {
        return warnings(processes.workforce());
    }

    /**
     * The same for a caller that has just read the processes.
     *
     * @param workforce as {@link ProcessesAdmin#workforce} has returned it
     */
    public List<Finding> warnings(Workforce workforce) {
        return warnings.find(server(), workforce, books());
    }

    /** Why a job waits in its queue or set. */
    public List<Finding> whyWaiting(ListedJob job) {
        return waitReasons.of(job);
    }

    /** Why a job that is parked at a limit waits: at its limit, and then in its queue. */
    public List<Finding> whyWaiting(LimitedJob job) {
        List<Finding> reasons = new ArrayList<>(waitReasons.of(job.job()));
        reasons.addAll(limits.whyWaiting(job));
        return reasons;
    }

    /**
     * Cancels a job, wherever it is, as {@link dev.jobs.JobClient#cancel} does.
     *
     * @return when the job was cancelled, to the second; earlier than now if it had been cancelled before
     * @throws dev.jobs.InvalidJobException if no job can have that jid
     */
    public Instant cancel(String jid) {
        return cancellations.cancel(Cancellations.requireJid(jid), clock.instant());
    }

    /** The progress of an iterable job, if it was interrupted or cancelled, or has run for some seconds. */
    public Optional<IterationInfo> iteration(String jid) {
        return iterations.find(jid).map(IterationInfo::of);
    }

    /**
     * What a job tells people: its progress, and the lines that it logged. Of a job that told nothing, or ended more
     * than a day ago, both are empty. Hidden arguments are masked in the lines.
     */
    public JobProgress progress(String jid) {
        return JobProgress.of(reports.find(jid));
    }

    /**
     * How often a job, as it is stored, was running when its worker died: since then it has not failed, and at most 72
     * hours have gone by.
     */
    public long recoveries(JobRecord job) {
        return recoveries.count(job.digest());
    }

    /** What a feature inspects and repairs in the same Redis, with the same connection. */
    @Internal
    public <T> T of(BiFunction<RedisConnection, RedisKeys, T> feature) {
        return feature.apply(connection, keys);
    }

    /** Closes the connection. */
    @Override
    public void close() {
        connection.close();
    }
}
