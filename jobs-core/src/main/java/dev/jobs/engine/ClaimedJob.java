package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import dev.jobs.batches.BatchRun;
import dev.jobs.batches.JobBatch;
import dev.jobs.codec.OneLine;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.ends.TimeLimit;
import dev.jobs.limiters.CurrentDelivery.Delivery;
import dev.jobs.limits.JobLimit;
import dev.jobs.limits.Leftovers;
import dev.jobs.limits.Permits.Answer;
import dev.jobs.results.JobReport;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims.Claimed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A job that this process holds, from claim to settlement. Exactly one party ends it: the processor that ran it, the
 * shutdown that hands it back, the loss of the lease, or the watch over timeouts that abandons its thread. Thread-safe.
 */
@Internal
public final class ClaimedJob implements JobContext, Delivery {

    private enum State {
        CLAIMED,
        RUNNING,
        FINISHED,
        HANDED_BACK,
        LOST,
        ABANDONED
    }

    private final Claimed claimed;
    private final Incarnation incarnation;
    private final long claimedNanos;
    private final BooleanSupplier stopping;

    // Guarded by this.
    private State state = State.CLAIMED;

    private boolean lostBefore;
    private final RunnerThread runner = new RunnerThread();

    private volatile List<JobLimit> limits = List.of();

    /** Why it is not to be run, as Redis said when it asked for its permits, of which it has none then. */
    private volatile @Nullable Answer unmet;

    /** Whether the application's code has begun with it. */
    private volatile boolean reachedCode;

    /** Null until it was parsed, and if it is no job. */
    private volatile @Nullable ParsedJob parsed;

    /** Its execution as its batch sees it; null if it runs outside a batch. */
    private volatile @Nullable BatchRun batchRun;

    /** Created for the first that asks, since most jobs have none. */
    private volatile @Nullable JobExtras extras;

    /** @param claimedNanos when it was claimed, on the engine's own clock */
    public ClaimedJob(Claimed claimed, Incarnation incarnation, long claimedNanos, BooleanSupplier stopping) {
        this.claimed = claimed;
        this.incarnation = incarnation;
        this.claimedNanos = claimedNanos;
        this.stopping = stopping;
    }

    @Override
    public String token() {
        return claimed.token();
    }

    @Override
    public String holder() {
        return incarnation.id();
    }

    @Override
    public Leftovers leftovers() {
        return extras().leftovers();
    }

    public synchronized JobExtras extras() {
        if (extras == null) {
            extras = new JobExtras();
        }
        return extras;
    }

    /** What it has not given back; nothing while its thread goes on, which gives it back itself. */
    synchronized List<Effect> remembered() {
        JobExtras known = extras;
        return known == null || state != State.FINISHED
                ? List.of()
                : known.leftovers().all();
    }

    /** Its number among those that were claimed with it. */
    int index() {
        String[] parts = token().split(":", 4);
        return parts.length < 4 ? 0 : Integer.parseInt(parts[2]);
    }

    public byte[] stored() {
        return claimed.payload();
    }

    public Incarnation incarnation() {
        return incarnation;
    }

    public long claimedNanos() {
        return claimedNanos;
    }

    /**
     * The stored bytes turned out to be a JSON object.
     *
     * @param known what this process knows of cancelled jobs
     * @param surroundings what its report needs
     */
    void parsed(Payload payload, CancelledJobs known, JobReport.Surroundings surroundings) {
        parsed = ParsedJob.of(payload, known, surroundings);
    }

    /** It may hold permits of these limits from now on. */
    void limitedBy(List<JobLimit> all) {
        limits = all;
    }

    /** Redis gave it no permits, since it is not to be run. */
    public void notToBeRun(Answer why) {
        unmet = why;
    }

    /** Why it is not to be run; null if Redis hasn't said so. */
    @Nullable Answer unmet() {
        return unmet;
    }

    /** The application's code begins with it. */
    void reachesCode() {
        reachedCode = true;
    }

    /** Whether the application's code has begun with it. */
    boolean hasReachedCode() {
        return reachedCode;
    }

    public List<JobLimit> limits() {
        return limits;
    }

    /** The place of the permit with which it was claimed; null if it has none. */
    @Nullable public String permit() {
        return claimed.place();
    }

    /** It turned out to belong to a batch. */
    void inBatch(BatchRun run) {
        batchRun = run;
    }

    @Nullable public BatchRun batchRun() {
        return batchRun;
    }

    /** What it reports; null if it has told nothing. */
    @Nullable public JobReport report() {
        JobExtras known = extras;
        return known == null ? null : known.report();
    }

    /** What it reports, from now on. */
    public JobReport reporting() {
        return extras().reporting(() -> new JobReport(payload(), parsedJob().surroundings()));
    }

    /** Whether the stored bytes were read and are a JSON object. */
    boolean isParsed() {
        return parsed != null;
    }

    /** The current thread begins to run it. Returns false if it must no longer run. */
    public synchronized boolean begin(long nanos) {
        if (state != State.CLAIMED) {
            return false;
        }
        state = State.RUNNING;
        runner.begin(nanos);
        return true;
    }

    /** The current thread has run it, and is not interrupted for it any more. Returns whether the job was its own. */
    public synchronized boolean finish() {
        runner.release();
        if (state != State.RUNNING) {
            return false;
        }
        state = State.FINISHED;
        return true;
    }

    /** Takes it away to be handed back. Returns whether it could still be taken. */
    synchronized boolean handBack() {
        return end(State.HANDED_BACK);
    }

    /** Another process has it now. Returns whether this one still believed to hold it. */
    synchronized boolean lose() {
        return end(State.LOST);
    }

    private boolean end(State end) {
        if (state != State.CLAIMED && state != State.RUNNING) {
            return false;
        }
        state = end;
        return true;
    }

    /** Interrupts the thread that runs it, after it was taken away. */
    synchronized void interrupt() {
        if (state != State.FINISHED) {
            runner.interrupt();
        }
    }

    /**
     * The current thread begins with the application's code, which may be interrupted.
     *
     * @param whenCancelled whether a cancellation interrupts it
     * @param allowed how long it may take; null for no limit
     */
    public synchronized void enter(boolean whenCancelled, @Nullable TimeLimit allowed) {
        runner.enter(whenCancelled, allowed);
    }

    /** The current thread is done with it. Neither what follows nor another job is interrupted. */
    public synchronized void leave() {
        runner.leave();
    }

    /** Whether the application's code runs, for this process or, since its lease was lost, only on its thread. */
    public synchronized boolean isInside() {
        return (state == State.RUNNING || state == State.LOST) && runner.isInside();
    }

    /** Interrupts the job once if it was cancelled and wants that. */
    public synchronized void interruptCancelled() {
        if (isInside() && runner.wantsInterruption() && isCancelledItself()) {
            runner.interruptInside();
        }
    }

    @Nullable public TimeLimit limit() {
        return runner.limit();
    }

    /** It takes long. Returns false if it has ended. */
    public synchronized boolean becomeSlow() {
        return isInside() && runner.becomeSlow();
    }

    /** Its time is over, unless it has ended: interrupts it. */
    public synchronized void tellToEnd(StackTraceElement[] stack) {
        if (isInside()) {
            runner.tellToEnd(stack);
        }
    }

    /** Takes it away from a thread that doesn't end it. Returns that thread; null if the job has ended. */
    public synchronized @Nullable Thread abandon() {
        if (!isInside()) {
            return null;
        }
        lostBefore = state == State.LOST;
        state = State.ABANDONED;
        return runner.release();
    }

    public synchronized boolean isAbandoned() {
        return state == State.ABANDONED;
    }

    /** Whether another process had the job when its thread was abandoned. */
    synchronized boolean wasLost() {
        return lostBefore;
    }

    public boolean isTimedOut() {
        return runner.isTimedOut();
    }

    /** The thread that runs it, or null. */
    public synchronized @Nullable Thread runner() {
        return runner.thread();
    }

    /** When it was started, on the engine's own clock; meaningless before. */
    synchronized long startedNanos() {
        return runner.startedNanos();
    }

    /** Whether this process may still end it: it is neither handed back nor lost nor finished. */
    public synchronized boolean isOurs() {
        return state == State.CLAIMED || state == State.RUNNING;
    }

    /** Whether it runs, or will be started in time. */
    synchronized boolean mayEndByItself() {
        return state == State.RUNNING || state == State.CLAIMED && incarnation.isFresh();
    }

    /** Whether it has ended and waits to be settled. */
    synchronized boolean isFinished() {
        return state == State.FINISHED;
    }

    /** How it ended for this process, after it was taken away: handed back or lost. */
    synchronized JobListener.Ending takenBy() {
        return state == State.HANDED_BACK ? JobListener.Ending.HANDED_BACK : JobListener.Ending.LOST;
    }

    @Override
    public String jid() {
        ParsedJob known = parsed;
        return known == null ? "" : known.jid();
    }

    @Override
    public String name() {
        ParsedJob known = parsed;
        return known == null ? "" : known.name();
    }

    @Override
    public String queue() {
        return claimed.queue();
    }

    @Override
    public Payload payload() {
        return parsedJob().payload();
    }

    private ParsedJob parsedJob() {
        ParsedJob known = parsed;
        if (known == null) {
            throw new IllegalStateException("What was claimed as " + token() + " is not a job");
        }
        return known;
    }

    @Override
    public int attempt() {
        ParsedJob known = parsed;
        return known == null ? 1 : known.attempt();
    }

    @Override
    public int recoveries() {
        return claimed.recoveries();
    }

    @Override
    public boolean isStopping() {
        return stopping.getAsBoolean();
    }

    @Override
    public boolean holdsLease() {
        return isOurs() && incarnation.holdsLease();
    }

    @Override
    public boolean isCancelled() {
        return isCancelledItself() || isTimedOut() || isBatchCancelled();
    }

    /** Whether the job was cancelled, rather than its batch. */
    public boolean isCancelledItself() {
        ParsedJob known = parsed;
        return known != null && known.isCancelled();
    }

    public boolean isBatchCancelled() {
        BatchRun run = batchRun;
        return run != null && run.isCancelled();
    }

    @Override
    public Optional<Duration> remaining() {
        return Optional.ofNullable(runner.limit()).map(TimeLimit::remaining);
    }

    @Override
    public void message(String message) {
        Optional.ofNullable(batchRun).ifPresent(run -> run.message(message));
    }

    @Override
    public void progress(long done, long total) {
        Optional.ofNullable(batchRun).ifPresent(run -> run.progress(done, total));
        reporting().progress(done, total);
    }

    @Override
    public void log(String text) {
        reporting().log(text);
    }

    @Override
    public Map<String, Object> attributes() {
        return extras().attributes();
    }

    @Override
    public Optional<JobBatch> batch() {
        return Optional.ofNullable(batchRun).map(BatchRun::batch);
    }

    @Override
    public String toString() {
        return OneLine.of(name()) + " (jid " + OneLine.of(jid()) + ", queue " + queue() + ")";
    }
}
