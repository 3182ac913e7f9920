package dev.jobs.iterations;

import dev.jobs.InvalidJobException;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobStoreException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.codec.OneLine;
import dev.jobs.ends.Known;
import dev.jobs.ends.TimedRun;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.RunContext;
import dev.jobs.iterations.Iteration.Item;
import dev.jobs.iterations.Iteration.Moment;
import dev.jobs.iterations.IterationStore.Kept;
import dev.jobs.iterations.IterationStore.Progress;
import dev.jobs.iterations.IterationStore.Stored;
import java.time.Duration;
import java.util.Iterator;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One execution of an iterable job, on the thread that runs it.
 *
 * <p>Redis stores the cursor of the next element. When the job leaves, the cursor is stored before the job goes back to
 * its queue: after a crash in between, the job is recovered with the right cursor, so no element is lost or repeated.
 */
final class IterationRun<E extends @Nullable Object> {

    private static final Logger log = LoggerFactory.getLogger(IterationRun.class);

    /** As in Sidekiq: how much work a crash may repeat, and how long a cancellation may go unnoticed. */
    static final Duration FLUSH_EVERY = Duration.ofSeconds(5);

    private static final double MOST_SECONDS = 1e10;

    /**
     * @param runtime how long an execution may run; null for any time
     * @param step how long a step may take without a warning, because a worker that stops waits no longer; zero if it
     *     doesn't wait at all
     */
    record Bounds(@Nullable Duration runtime, Duration step) {}

    private enum End {
        COMPLETE,
        CANCELLED,
        INTERRUPTED
    }

    private final Iteration<E> iteration;
    private final ClaimedJob job;
    private final IterationStore store;
    private final RunContext context;
    private final Bounds bounds;
    private final Supplier<Known> cancelled;
    private final BooleanSupplier leaves;
    private final long started;

    private int executions;
    private Duration runtimeBefore = Duration.ZERO;
    private @Nullable Object cursor;

    /** Whether an element was reached, so that there is a cursor to store. */
    private boolean reached;

    private int performed;
    private long flushed;
    private boolean inDoubt;
    private boolean warnedOfSlowStep;
    private boolean warnedOfOutage;

    /**
     * @param cancelled whether the job is cancelled itself
     * @param leaves whether something that it is a part of is cancelled
     */
    IterationRun(
            Iteration<E> iteration,
            ClaimedJob job,
            IterationStore store,
            RunContext context,
            Bounds bounds,
            Supplier<Known> cancelled,
            BooleanSupplier leaves) {
        this.iteration = iteration;
        this.job = job;
        this.store = store;
        this.context = context;
        this.bounds = bounds;
        this.cancelled = cancelled;
        this.leaves = leaves;
        this.started = context.nanos();
    }

    void run() throws Exception {
        boolean cancelled = loadOrLeave();
        End end;
        try {
            end = iterate(cancelled);
            if (end == End.CANCELLED) {
                log.info("{} was cancelled and ends", job);
                iteration.reached(Moment.CANCEL);
            }
            iteration.reached(Moment.STOP);
            if (end != End.INTERRUPTED) {
                iteration.reached(Moment.COMPLETE);
            }
        } catch (Exception | Error e) {
            keepDespite(e);
            throw e;
        }
        if (end == End.INTERRUPTED) {
            throw new JobInterruptedException("It continues elsewhere or later");
        }
    }

    /** An outage is no failure of the job: it performed nothing, and goes back. */
    private boolean loadOrLeave() throws JobInterruptedException {
        try {
            return load();
        } catch (JobStoreException e) {
            if (!Known.isAway(e)) {
                throw e;
            }
            throw new JobInterruptedException("Its progress can't be read: " + e.getMessage());
        }
    }

    /** Reads the state that the last execution stored. Returns whether the job was cancelled. */
    private boolean load() {
        Stored stored = store.find(job.jid()).orElse(new Stored(null, null, null, null));
        executions = read("ex", stored.executions(), 0, Integer::parseInt) + 1;
        runtimeBefore = read("rt", stored.runtime(), Duration.ZERO, IterationRun::seconds);
        if (stored.cursor() != null) {
            try {
                cursor = JsonText.decode(stored.cursor());
            } catch (JsonException e) {
                throw unreadable("c", e);
            }
        }
        return stored.cancelled() != null || isCancelled();
    }

    private static Duration seconds(String text) {
        double seconds = Double.parseDouble(text);
        if (!(seconds >= 0 && seconds < MOST_SECONDS)) {
            throw new NumberFormatException("it is " + text);
        }
        return Duration.ofMillis((long) (seconds * 1_000));
    }

    private <T> T read(String field, @Nullable String text, T missing, Function<String, T> parser) {
        try {
            return text == null ? missing : parser.apply(text);
        } catch (NumberFormatException e) {
            throw unreadable(field, e);
        }
    }

    private InvalidCursorException unreadable(String field, Exception cause) {
        return new InvalidCursorException(
                "The stored state of " + job + " can't be read: the field '" + field + "' of it-"
                        + OneLine.of(job.jid())
                        + " is damaged (" + cause.getMessage()
                        + "). Without that key the job starts from the beginning",
                cause);
    }

    private End iterate(boolean cancelled) throws Exception {
        try (Stream<Item<E>> items = iteration.open(cursor)) {
            iteration.reached(executions == 1 ? Moment.START : Moment.RESUME);
            if (cancelled) {
                return End.CANCELLED;
            }
            flushed = context.nanos();
            for (Iterator<Item<E>> all = items.iterator(); all.hasNext(); ) {
                Item<E> item = all.next();
                cursor = item.cursor();
                if (!reached) {
                    json(); // reports a cursor that can't be stored now rather than at the first flush
                    reached = true;
                }
                if (isCancelled()) {
                    return End.CANCELLED;
                }
                boolean leaves = mustLeave();
                if (leaves || isPast(flushed, FLUSH_EVERY)) {
                    Kept kept = flush(leaves);
                    if (kept == Kept.CANCELLED) {
                        return End.CANCELLED;
                    }
                    if (leaves) {
                        return End.INTERRUPTED;
                    }
                }
                perform(item.element());
            }
            return End.COMPLETE;
        }
    }

    /** While Redis can't be asked the job goes on: the answer to its next flush tells, too. */
    private boolean isCancelled() {
        if (inDoubt) {
            return false;
        }
        Known answer = cancelled.get();
        inDoubt = answer == Known.UNKNOWN;
        return answer == Known.YES;
    }

    private void perform(E element) throws Exception {
        long begun = context.nanos();
        iteration.perform(element);
        if (performed++ == 0) {
            job.attach(new JobPart.Advance());
        }
        if (!warnedOfSlowStep && !bounds.step().isZero() && isPast(begun, bounds.step())) {
            warnedOfSlowStep = true;
            log.warn(
                    "A step of {} took {} s, longer than the shutdown timeout ({} s): when the worker stops, such a step is interrupted "
                            + "and repeated. Make the steps smaller",
                    job,
                    Duration.ofNanos(context.nanos() - begun).toMillis() / 1000.0,
                    bounds.step().toMillis() / 1000.0);
        }
    }

    private boolean mustLeave() {
        if (!job.holdsLease() || TimedRun.isOver(job) || leaves.getAsBoolean()) {
            return true;
        }
        // Without the condition on performed elements, a job with a slow start would never progress.
        boolean hadItsTime = bounds.runtime() != null && performed > 0 && isPast(started, bounds.runtime());
        return hadItsTime || context.quiet().get();
    }

    private boolean isPast(long nanos, Duration duration) {
        return Duration.ofNanos(context.nanos() - nanos).compareTo(duration) >= 0;
    }

    /**
     * Stores the progress. While Redis is away the job continues, and the next flush tries again.
     *
     * @param last whether there will be no next flush
     * @throws JobInterruptedException if this worker no longer holds the job
     */
    private Kept flush(boolean last) {
        flushed = context.nanos();
        try {
            Kept kept = job.isOurs() ? keep(last) : Kept.NOT_OURS;
            if (kept == Kept.NOT_OURS) {
                throw new JobInterruptedException("It was taken away from this worker and runs elsewhere");
            }
            return kept;
        } catch (JobStoreException e) {
            if (!Known.isAway(e)) {
                throw e;
            }
            if (last || !warnedOfOutage) {
                warnedOfOutage = true;
                log.warn(
                        "Could not store the progress of {}: {}. {}",
                        job,
                        e.getMessage(),
                        last ? "Its steps since the last time are repeated" : "It continues and tries again");
            }
            return Kept.KEPT;
        }
    }

    /** Stores the progress after a failure, so that the retry begins with the element that failed. */
    private void keepDespite(Throwable failure) {
        if (!reached || !job.isOurs() || failure instanceof OutOfMemoryError) {
            return;
        }
        try {
            keep(true);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
            log.warn(
                    "Could not store the progress of {}: {}. Its steps since the last time are repeated",
                    job,
                    e.getMessage());
        }
    }

    /** A step may have left the interrupt flag set, with which no call to Redis is possible. */
    private Kept keep(boolean persistently) {
        boolean interrupted = Thread.interrupted();
        try {
            return persistently ? store.flushPersistently(progress()) : store.flush(progress());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Progress progress() {
        Duration runtime = runtimeBefore.plusNanos(context.nanos() - started);
        return new Progress(job.jid(), job.incarnation().id(), job.token(), executions, json(), runtime);
    }

    private byte[] json() {
        try {
            return JsonText.encodeSame(cursor);
        } catch (JsonException e) {
            throw new InvalidJobException(String.valueOf(e.getMessage()));
        }
    }
}
