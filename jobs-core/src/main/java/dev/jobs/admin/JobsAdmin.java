package dev.jobs.admin;

import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.PayloadTimes;
import dev.jobs.redis.DeadSetLimits;
import dev.jobs.redis.DeployMarks;
import dev.jobs.redis.EffectSource;
import dev.jobs.redis.IterationStore;
import dev.jobs.redis.JobCounters;
import dev.jobs.redis.JobMetrics;
import dev.jobs.redis.JobQueues;
import dev.jobs.redis.JobSets;
import dev.jobs.redis.JobTrash;
import dev.jobs.redis.Ledger;
import dev.jobs.redis.ProcessRegistry;
import dev.jobs.redis.ProcessRegistry.Signal;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks at jobs, queues, sets and processes, and repairs. Sees everything on its Redis, whether Java or Ruby put it there. Thread-safe; has
 * one connection of its own, opened at its first use.
 *
 * <p>A job in a queue or set is named by its exact stored bytes ({@link JobRecord#bytes()}), since ids may be missing or there twice. An
 * action that finds it gone says so and does nothing.
 *
 * <p>No call takes longer because a queue or set is big, but for deleting one job from a queue, which looks for it from the newest end, and
 * the actions on all jobs, which go through the set in batches of 100. What stands in Redis may be of any form: overviews leave out or
 * show as empty what can't be read. Every call throws {@link JobStoreException} when Redis can't be reached or refuses, and calls that ask
 * for the content of one queue or set also when its key holds another type.
 */
public final class JobsAdmin implements AutoCloseable {

    private static final int MOST_ON_PAGE = 200;
    private static final int MOST_DAYS = 5 * 365;
    private static final int MOST_DAYS_OF_MARKS = 90;
    private static final int MOST_WORK = 10_000;

    private final RedisConnection connection;
    private final Clock clock;
    private final JobCounters counters;
    private final Ledger ledger;
    private final JobQueues queues;
    private final JobSets sets;
    private final Processes processes;
    private final SetActions actions;
    private final IterationStore iterations;
    private final QueueReader queueReader;
    private final Searches searches;
    private final JobBrowser browser;
    private final BulkSteps bulk;
    private final Trash trash;
    private final Doctor doctor;
    private final MetricsReader metrics;
    private final DeployMarks marks;

    /**
     * @param dead how much the dead set keeps when jobs are killed here
     * @param hooks whose enqueue middleware is asked before a job is run now, and whose death handlers hear of a killed one
     * @param clock for times that are stored or compared with stored ones
     * @param times how times are written into payloads
     */
    public JobsAdmin(RedisConnections redis, DeadSetLimits dead, JobHooks hooks, Clock clock, PayloadTimes times) {
        this.connection = redis.open("jobs-admin");
        this.clock = clock;
        this.counters = new JobCounters(connection, redis.keys());
        this.ledger = new Ledger(connection, redis.keys());
        this.queues = new JobQueues(connection, redis.keys());
        this.sets = new JobSets(connection, redis.keys(), dead);
        this.processes = new Processes(new ProcessRegistry(connection, redis.keys()));
        this.iterations = new IterationStore(connection, redis.keys());
        this.queueReader = new QueueReader(queues, clock);
        this.actions = new SetActions(sets, hooks, clock, times);
        this.searches = new Searches(queues, sets);
        this.browser = new JobBrowser(queues, sets);
        JobTrash deleted = new JobTrash(connection, redis.keys(), JobTrash.Limits.standard(), EffectSource.NONE);
        this.bulk = new BulkSteps(actions, deleted);
        this.trash = new Trash(deleted, queues, clock);
        this.doctor = new Doctor(queues, clock);
        this.metrics = new MetricsReader(new JobMetrics(connection, redis.keys()), clock);
        this.marks = new DeployMarks(connection, redis.keys());
    }

    /** Writes times in milliseconds; otherwise as the other constructor. */
    public JobsAdmin(RedisConnections redis, DeadSetLimits dead, JobHooks hooks, Clock clock) {
        this(redis, dead, hooks, clock, PayloadTimes.MILLISECONDS);
    }

    // For pages

    /** Reads queues and sets in parts, filtered. */
    public JobBrowser browse() {
        return browser;
    }

    /** Acts on many jobs in steps of a bounded time. */
    public BulkSteps bulk() {
        return bulk;
    }

    /** Deletes jobs so that it can be undone. */
    public Trash trash() {
        return trash;
    }

    /** What goes wrong without an error, the worst first, at most 50 findings; looks at all queues, and into the 20 largest. */
    public List<Finding> warnings() {
        return doctor.check(server(), queues(), workforce(), books());
    }

    /** Why a job that was found waits. */
    public List<Finding> whyWaiting(PlacedJob job) {
        return new Waiting(workforce(), paused(), clock.instant()).reasons(job);
    }

    /** The processes that showed themselves within the last minute, with the queues they work off and the jobs they know. */
    public Workforce workforce() {
        return processes.workforce();
    }

    /**
     * Asks a process for the stack of a thread that runs a job, as {@link #work} names them. The process answers with its next sign of life,
     * mostly within two seconds; {@link #stack} has the answer for half a minute.
     *
     * @return whether there is such a process, it is one that answers, and it runs a job on that thread as far as it has shown
     */
    public boolean askForStack(String identity, String thread) {
        return processes.askForStack(identity, thread);
    }

    /** What a process answered to {@link #askForStack}, or nothing yet. */
    public Optional<StackDump> stack(String identity, String thread) {
        return processes.stack(identity, thread);
    }

    // Numbers

    /** The numbers at a glance. */
    public Stats stats() {
        JobCounters.Count totals = counters.totals();
        Map<JobSets.JobSet, Long> sizes = sets.sizes();
        List<ProcessInfo> live = processes();
        return new Stats(
                totals.processed(),
                totals.failed(),
                queueReader.enqueued(),
                sizes.getOrDefault(JobSet.SCHEDULED.stored(), 0L),
                sizes.getOrDefault(JobSet.RETRY.stored(), 0L),
                sizes.getOrDefault(JobSet.DEAD.stored(), 0L),
                live.stream().mapToLong(ProcessInfo::busy).sum(),
                live.size(),
                books());
    }

    /** The ledger of claimed jobs alone, or null if it can't be read, as when its key was overwritten. */
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
            if (isAway(e)) {
                throw e;
            }
            return null;
        }
    }

    /** What was done on the last days, today included: 1 to 1,825 of them, by UTC. */
    public History history(int days) {
        check(days >= 1 && days <= MOST_DAYS, "days", "1 to " + MOST_DAYS, days);
        LocalDate first = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).minusDays(days - 1L);
        List<History.Day> all = new ArrayList<>();
        for (JobCounters.Count count : counters.days(first, days)) {
            all.add(new History.Day(first.plusDays(all.size()), count.processed(), count.failed()));
        }
        return new History(all);
    }

    /** Sets the totals of processed and failed to 0; the days keep theirs. */
    public void resetStats() {
        counters.reset();
    }

    /**
     * What came of executions in the span of time that ends now, in Java and in Ruby, as far as it was sent to Redis.
     *
     * @param span 1 minute to 72 hours; divided into minutes up to 8 hours, and into ten minutes beyond
     */
    public Metrics metrics(Duration span) {
        return metrics.all(span);
    }

    /** The same of one job. */
    public Executions executions(String job, Duration span) {
        return metrics.one(job, span);
    }

    /**
     * How long the executions of one job took in the span of time that ends now.
     *
     * @param span 1 minute to 8 hours
     */
    public Histogram histogram(String job, Duration span) {
        return metrics.histogram(job, span);
    }

    /**
     * Marks the present minute as that of a deployment, for charts of metrics.
     *
     * @param label such as a version: 1 to 200 characters, no control characters
     * @return whether it is marked now: not if the same label was marked within a minute before, nor if another one has the minute
     */
    public boolean markDeploy(String label) {
        check(DeployMarks.isLabel(label), "label", "1 to 200 characters without control characters", "'" + label + "'");
        return marks.mark(label, clock.instant());
    }

    /** The deployments that were marked on the last days, today included, oldest first: 1 to 90 days, by UTC. */
    public List<Deploy> deploys(int days) {
        check(days >= 1 && days <= MOST_DAYS_OF_MARKS, "days", "1 to " + MOST_DAYS_OF_MARKS, days);
        LocalDate first = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).minusDays(days - 1L);
        return marks.read(first, days).entrySet().stream()
                .map(mark -> new Deploy(mark.getKey(), mark.getValue()))
                .toList();
    }

    /** What the Redis server says about itself; nearly nothing where {@code INFO} is forbidden or was renamed. */
    public ServerInfo server() {
        try {
            return ServerInfo.parse(connection.serverInfo());
        } catch (JobStoreException e) {
            if (isAway(e)) {
                throw e;
            }
            return ServerInfo.parse("");
        }
    }

    private static boolean isAway(JobStoreException e) {
        return e.kind() == JobStoreException.Kind.UNREACHABLE || e.kind() == JobStoreException.Kind.TIMEOUT;
    }

    // Queues

    /** All queues by name, at most 10,000. */
    public List<QueueInfo> queues() {
        return queueReader.all();
    }

    /** How many jobs are in each queue, by name; 0 in a broken one. At most 10,000 queues. */
    public SortedMap<String, Long> queueSizes() {
        return queueReader.sizes();
    }

    /** These queues, in this order, whether there was ever a job in them or not. */
    public List<QueueInfo> queues(List<String> names) {
        return queueReader.some(names);
    }

    /** One queue, if there is or was a job in it. */
    public Optional<QueueInfo> queue(String queue) {
        checkQueue(queue);
        return queueReader.one(queue);
    }

    /**
     * Jobs of a queue.
     *
     * @param page from 1
     * @param size 1 to 200
     */
    public Page<JobRecord> jobs(String queue, long page, int size, Order order) {
        checkQueue(queue);
        checkPage(page, size);
        return queueReader.page(queue, page, size, order);
    }

    /** Removes one job from a queue; of equal ones the newest. Returns whether it was there. */
    public boolean deleteJob(String queue, byte[] job) {
        checkQueue(queue);
        return queues.delete(queue, job);
    }

    /** Removes all jobs of a queue, and the queue itself until somebody enqueues to it again. Returns how many jobs there were. */
    public long clear(String queue) {
        checkQueue(queue);
        return queues.clear(queue);
    }

    /**
     * Forgets a queue in which no job is, and removes what stands at its key if that is no queue at all. Returns whether it did: not if there
     * are jobs in it.
     */
    public boolean forget(String queue) {
        checkQueue(queue);
        return queues.forget(queue);
    }

    /** Stops workers from taking jobs of a queue; Ruby's free edition doesn't heed it. Returns whether it wasn't paused before. */
    public boolean pause(String queue) {
        checkQueue(queue);
        return queues.pause(queue);
    }

    /** Lets workers take jobs of a queue again. Returns whether it was paused. */
    public boolean resume(String queue) {
        checkQueue(queue);
        return queues.resume(queue);
    }

    /** The names of paused queues, sorted, at most 10,000. */
    public Set<String> paused() {
        return queues.paused();
    }

    // Sets

    /**
     * Jobs of a set: scheduled and failed ones soonest first, dead ones newest first.
     *
     * @param page from 1
     * @param size 1 to 200
     */
    public Page<JobRecord> jobs(JobSet set, long page, int size) {
        checkPage(page, size);
        long total = sets.size(set.stored());
        long shown = Math.min(page, Page.pages(total, size));
        long first = (shown - 1) * size;
        List<JobSets.Entry> entries =
                set == JobSet.DEAD ? sets.highest(set.stored(), first, size) : sets.lowest(set.stored(), first, size);
        return new Page<>(
                entries.stream()
                        .map(entry -> JobRecord.inSet(set, entry.payload(), entry.score()))
                        .toList(),
                shown,
                size,
                total);
    }

    /** Looks for jobs with that id, of which there may be several. */
    public ScanResult find(JobSet set, String jid, ScanBudget budget) {
        return searches.jid(set, jid, budget);
    }

    /** Looks for jobs with exactly that score; quick unless very many have it. */
    public ScanResult findByScore(JobSet set, double score, ScanBudget budget) {
        return searches.score(set, score, record -> true, budget);
    }

    /** Looks for jobs with exactly that score and that id; quick unless very many have the score. */
    public ScanResult findByScore(JobSet set, double score, String jid, ScanBudget budget) {
        return searches.score(set, score, record -> Objects.equals(record.jid(), jid), budget);
    }

    /**
     * Looks for jobs of a set whose stored text contains a text. Case counts; no character has a special meaning.
     *
     * @param text 1 to 200 characters
     * @param limit jobs at most, 1 to 1,000
     */
    public ScanResult scan(JobSet set, String text, int limit, ScanBudget budget) {
        return searches.text(set, text, limit, budget);
    }

    /** Looks for jobs of a queue, newest first; otherwise as {@link #scan(JobSet, String, int, ScanBudget)}. */
    public ScanResult scan(String queue, String text, int limit, ScanBudget budget) {
        checkQueue(queue);
        return searches.queue(queue, text, limit, budget);
    }

    /** Removes a job from a set for good. Returns whether it was there. */
    public boolean delete(JobSet set, byte[] job) {
        return actions.delete(set, job);
    }

    /**
     * Puts a job of a set into its queue, as if it were due now. A failed or dead one has one retry fewer behind it afterwards, so that this
     * run uses up none.
     *
     * @throws JobsException if what is stored there is no job; it stays there
     * @throws RuntimeException what an enqueue middleware threw; the job stays there
     */
    public RunResult runNow(JobSet set, byte[] job) {
        return actions.runNow(set, job);
    }

    /** Moves a scheduled or failed job to the dead set and tells the death handlers. Returns whether it was there. */
    public boolean kill(JobSet set, byte[] job) {
        return actions.kill(set, job);
    }

    /** Gives a scheduled or failed job another time, 1970 or later; one that is past means now. Returns whether it was there. */
    public boolean reschedule(JobSet set, byte[] job, Instant at) {
        return actions.reschedule(set, job, at);
    }

    /**
     * Gives all scheduled or failed jobs that are wanted another time; see {@link #reschedule}. Those that have it already are not counted.
     */
    public BulkResult rescheduleAll(JobSet set, Predicate<? super JobRecord> wanted, Instant at) {
        return actions.rescheduleAll(set, wanted, at);
    }

    /** Removes all jobs of a set for good, in one step. Returns how many there were. */
    public long deleteAll(JobSet set) {
        return actions.deleteAll(set);
    }

    /** Removes all jobs of a set that are wanted, such as {@code job -> job.contains("text")}. */
    public BulkResult deleteAll(JobSet set, Predicate<? super JobRecord> wanted) {
        return actions.deleteAll(set, wanted);
    }

    /** Puts all jobs of a set into their queues; see {@link #runAll(JobSet, Predicate)}. */
    public BulkResult runAll(JobSet set) {
        return actions.runAll(set, job -> true);
    }

    /** Puts all jobs of a set that are wanted into their queues, those of the lowest score first; see {@link #runNow}. */
    public BulkResult runAll(JobSet set, Predicate<? super JobRecord> wanted) {
        return actions.runAll(set, wanted);
    }

    /** Moves all scheduled or failed jobs to the dead set; see {@link #killAll(JobSet, Predicate)}. */
    public BulkResult killAll(JobSet set) {
        return actions.killAll(set, job -> true);
    }

    /** Moves all scheduled or failed jobs that are wanted to the dead set, which keeps the last ones only if they are too many. */
    public BulkResult killAll(JobSet set, Predicate<? super JobRecord> wanted) {
        return actions.killAll(set, wanted);
    }

    // Iterable jobs

    /** How far an iterable job is, if it was left or cancelled, or has run for some seconds. */
    public Optional<IterationInfo> iteration(String jid) {
        return iterations.find(jid).map(IterationInfo::of);
    }

    /** Cancels an iterable job; see {@link dev.jobs.JobClient#cancel}. Returns since when it is cancelled. */
    public Instant cancel(String jid) {
        check(!jid.isBlank(), "jid", "the id of a job", "blank");
        return iterations.cancel(jid, clock.instant());
    }

    // Processes

    /** The processes that showed themselves within the last minute, by identity. Forgets those that didn't, if Redis takes writes. */
    public List<ProcessInfo> processes() {
        return processes.all();
    }

    /** What all processes run, as they last showed it, longest first; at most 10,000 jobs. */
    public List<WorkInfo> work() {
        return work(processes(), MOST_WORK);
    }

    /**
     * What these processes run, as they last showed it, longest first.
     *
     * @param processes as {@link #processes} has just returned them: a page that shows both then shows no job without its process
     * @param most reads no more jobs than this, whichever they are: 1 to 10,000
     */
    public List<WorkInfo> work(List<ProcessInfo> processes, int most) {
        check(most >= 1 && most <= MOST_WORK, "most", "1 to " + MOST_WORK, most);
        return this.processes.work(processes, most);
    }

    /**
     * Tells a process to take no more jobs; it obeys within seconds and can't be brought back.
     *
     * @return whether there is such a process
     * @throws JobsException if it is embedded in an application and heeds no signals
     */
    public boolean quiet(String identity) {
        return processes.signal(identity, Signal.TSTP);
    }

    /** Tells a process to stop; otherwise as {@link #quiet}. */
    public boolean stop(String identity) {
        return processes.signal(identity, Signal.TERM);
    }

    /** Tells a process to write the stacks of its threads to its log; otherwise as {@link #quiet}. */
    public boolean dumpStacks(String identity) {
        return processes.signal(identity, Signal.TTIN);
    }

    private static void checkQueue(String queue) {
        check(!queue.isEmpty(), "queue", "the name of a queue", "empty");
    }

    private static void checkPage(long page, int size) {
        check(page >= 1, "page", "at least 1", page);
        check(size >= 1 && size <= MOST_ON_PAGE, "size", "1 to " + MOST_ON_PAGE, size);
    }

    private static void check(boolean holds, String name, String expected, Object actual) {
        if (!holds) {
            throw new IllegalArgumentException("'" + name + "' must be " + expected + " but was " + actual);
        }
    }

    /** Closes the connection. */
    @Override
    public void close() {
        connection.close();
    }
}
