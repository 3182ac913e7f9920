package dev.jobs.engine;

import dev.jobs.JobBatch;
import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import dev.jobs.codec.OneLine;
import dev.jobs.redis.JobClaims.Claimed;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A job that this process holds, from claim to settlement. Exactly one party ends it: the processor that ran it, the
 * shutdown that hands it back, the loss of the lease, or the watch over timeouts that abandons its thread. Thread-safe.
 */
final class ClaimedJob implements JobContext {

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
    private @Nullable Thread runner;
    private long startedNanos;
    private boolean inside;
    private boolean interruptible;
    private boolean interrupted;
    private volatile @Nullable TimeLimit limit;

    /** Parsed once, because it is asked for repeatedly while the job runs. */
    private record Parsed(Payload payload, String name, String jid, JobReport.Surroundings surroundings) {}

    private volatile @Nullable Parsed parsed;

    private volatile @Nullable CancelledJobs cancelledJobs;

    /** Its execution as its batch sees it; null if it runs outside a batch. */
    private volatile @Nullable BatchRun batchRun;

    /** Created for the first that tells something. */
    private volatile @Nullable JobReport report;

    /** Created for the first that asks, since most jobs share nothing. Guarded by this. */
    private @Nullable Map<String, Object> attributes;

    /** @param claimedNanos when it was claimed, on the engine's own clock */
    ClaimedJob(Claimed claimed, Incarnation incarnation, long claimedNanos, BooleanSupplier stopping) {
        this.claimed = claimed;
        this.incarnation = incarnation;
        this.claimedNanos = claimedNanos;
        this.stopping = stopping;
    }

    String token() {
        return claimed.token();
    }

    byte[] stored() {
        return claimed.payload();
    }

    Incarnation incarnation() {
        return incarnation;
    }

    long claimedNanos() {
        return claimedNanos;
    }

    /**
     * The stored bytes turned out to be a JSON object.
     *
     * @param known what this process knows of cancelled jobs
     * @param surroundings what its report needs
     */
    void parsed(Payload payload, CancelledJobs known, JobReport.Surroundings surroundings) {
        cancelledJobs = known;
        parsed = new Parsed(payload, orEmpty(payload.jobName()), orEmpty(payload.jid()), surroundings);
    }

    /** It turned out to belong to a batch. */
    void inBatch(BatchRun run) {
        batchRun = run;
    }

    @Nullable BatchRun batchRun() {
        return batchRun;
    }

    /** What it reports; null if it has told nothing. */
    @Nullable JobReport report() {
        return report;
    }

    /** What it reports, from now on. */
    synchronized JobReport reporting() {
        JobReport known = report;
        if (known == null) {
            known = new JobReport(payload(), Objects.requireNonNull(parsed).surroundings());
            report = known;
        }
        return known;
    }

    /** Whether the stored bytes were read and are a JSON object. */
    boolean isParsed() {
        return parsed != null;
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** The current thread begins to run it. Returns false if it must no longer run. */
    synchronized boolean begin(long nanos) {
        if (state != State.CLAIMED) {
            return false;
        }
        state = State.RUNNING;
        runner = Thread.currentThread();
        startedNanos = nanos;
        return true;
    }

    /**
     * The current thread has run it. Returns whether the job was still its own; from now on nothing interrupts this
     * thread for it.
     */
    synchronized boolean finish() {
        runner = null;
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
        if (runner != null && state != State.FINISHED) {
            runner.interrupt();
        }
    }

    /**
     * The current thread begins with the application's code, which may be interrupted.
     *
     * @param whenCancelled whether a cancellation interrupts it
     * @param allowed how long it may take; null for no limit
     */
    synchronized void enter(boolean whenCancelled, @Nullable TimeLimit allowed) {
        inside = true;
        interruptible = whenCancelled;
        limit = allowed;
    }

    /** The current thread is done with it. Neither what follows nor another job is interrupted. */
    synchronized void leave() {
        inside = false;
        if (interrupted) {
            interrupted = false;
            Thread.interrupted();
        }
    }

    private boolean isInside() {
        return inside && state == State.RUNNING && runner != null;
    }

    /** Interrupts the job once if it was cancelled and wants that. */
    synchronized void interruptCancelled() {
        if (isInside() && interruptible && !interrupted && isCancelledItself()) {
            interruptInside();
        }
    }

    private void interruptInside() {
        if (runner != null) {
            interrupted = true;
            runner.interrupt();
        }
    }

    @Nullable TimeLimit limit() {
        return limit;
    }

    /** It takes long. Returns false if it has ended. */
    synchronized boolean becomeSlow() {
        TimeLimit allowed = limit;
        if (!isInside() || allowed == null) {
            return false;
        }
        allowed.becomeSlow();
        return true;
    }

    /** Its time is over, unless it has ended: interrupts it. */
    synchronized void tellToEnd(StackTraceElement[] stack) {
        TimeLimit allowed = limit;
        if (isInside() && allowed != null) {
            allowed.tellToEnd(stack);
            interruptInside();
        }
    }

    /** Takes it away from a thread that doesn't end it. Returns that thread; null if the job has ended. */
    synchronized @Nullable Thread abandon() {
        if (!isInside()) {
            return null;
        }
        Thread thread = runner;
        runner = null;
        state = State.ABANDONED;
        return thread;
    }

    synchronized boolean isAbandoned() {
        return state == State.ABANDONED;
    }

    boolean isTimedOut() {
        TimeLimit allowed = limit;
        return allowed != null && allowed.isOver();
    }

    /** The thread that runs it, or null. */
    synchronized @Nullable Thread runner() {
        return runner;
    }

    /** When it was started, on the engine's own clock; meaningless before. */
    synchronized long startedNanos() {
        return startedNanos;
    }

    /** Whether this process may still end it: it is neither handed back nor lost nor finished. */
    synchronized boolean isOurs() {
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
        Parsed known = parsed;
        return known == null ? "" : known.jid();
    }

    @Override
    public String name() {
        Parsed known = parsed;
        return known == null ? "" : known.name();
    }

    @Override
    public String queue() {
        return claimed.queue();
    }

    @Override
    public Payload payload() {
        Parsed known = parsed;
        if (known == null) {
            throw new IllegalStateException("What was claimed as " + token() + " is not a job");
        }
        return known.payload();
    }

    @Override
    public int attempt() {
        Parsed known = parsed;
        Long count = known == null ? null : known.payload().integer("retry_count");
        return count == null ? 1 : (int) Math.max(1, Math.min(Integer.MAX_VALUE - 2, count) + 2);
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
    boolean isCancelledItself() {
        CancelledJobs known = cancelledJobs;
        return known != null && known.contains(jid());
    }

    boolean isBatchCancelled() {
        BatchRun run = batchRun;
        return run != null && run.isCancelled();
    }

    @Override
    public Optional<Duration> remaining() {
        return Optional.ofNullable(limit).map(TimeLimit::remaining);
    }

    @Override
    public void message(String message) {
        BatchRun run = batchRun;
        if (run != null) {
            run.message(message);
        }
    }

    @Override
    public void progress(long done, long total) {
        BatchRun run = batchRun;
        if (run != null) {
            run.progress(done, total);
        }
        reporting().progress(done, total);
    }

    @Override
    public void log(String text) {
        reporting().log(text);
    }

    @Override
    public synchronized Map<String, Object> attributes() {
        if (attributes == null) {
            attributes = new ConcurrentHashMap<>();
        }
        return attributes;
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
