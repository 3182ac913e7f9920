package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.Payload;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.InterruptibleRun;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.Outcome;
import dev.jobs.engine.RunContext;
import dev.jobs.threads.Loop;
import dev.jobs.threads.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the executions that have a timeout, on one thread, which the first of them starts: tells listeners of slow
 * ones, tells those that are over their time to end, and abandons the threads of those that don't. Thread-safe.
 */
@Internal
public final class TimeWatch implements JobPart.Around, JobPart.Throws, JobPart.Context {

    private static final Logger log = LoggerFactory.getLogger(TimeWatch.class);

    private static final Duration IDLE = Duration.ofHours(1);

    private final TimeoutConfig config;
    private final RunContext context;
    private final BiConsumer<ClaimedJob, Thread> abandoned;
    private final Loop loop;
    private final AtomicBoolean started = new AtomicBoolean();
    private final Set<ClaimedJob> watched = ConcurrentHashMap.newKeySet();

    /** When the thread looks again, at the latest. */
    private volatile long looksAt;

    /** @param abandoned settles a job that did not end, and replaces its thread */
    public TimeWatch(TimeoutConfig config, RunContext context, BiConsumer<ClaimedJob, Thread> abandoned) {
        this.config = config;
        this.context = context;
        this.abandoned = abandoned;
        this.loop = new Loop("jobs-timeouts", context.guard(), this::runOnce);
        this.looksAt = context.nanos() + IDLE.toNanos();
    }

    /** It starts by itself. */
    public Loop loop() {
        return loop;
    }

    /** What times an execution that begins now; null if it has no timeout. */
    private @Nullable TimedRun timedRun(Payload payload, JobDefinition definition) {
        Duration timeout = EndRules.timeout(payload.get(EndRules.TIMEOUT));
        if (timeout == null) {
            timeout = EndRules.timeout(definition.options().get(EndRules.TIMEOUT));
        }
        if (timeout == null) {
            timeout = config.standard();
        }
        if (timeout == null) {
            return null;
        }
        Object own = definition.options().getOrDefault(EndRules.TIMEOUT_RETRY, true);
        Object retries = payload.has(EndRules.TIMEOUT_RETRY) ? payload.get(EndRules.TIMEOUT_RETRY) : own;
        return new TimedRun(
                timeout,
                config.grace(),
                context.environment().nanoTime(),
                definition.options().getOrDefault("retry", true),
                !Boolean.FALSE.equals(retries));
    }

    @Override
    public @Nullable Outcome enter(ClaimedJob job, JobDefinition definition) {
        TimedRun timed = timedRun(job.payload(), definition);
        if (timed != null) {
            job.attach(timed);
            InterruptibleRun.enter(job, false);
            begin(job, timed);
            start();
        }
        return null;
    }

    private void start() {
        if (started.get() || !started.compareAndSet(false, true)) {
            return;
        }
        try {
            loop.start();
        } catch (Error e) { // there is no thread to be had: the next job with a timeout tries again
            started.set(false);
            throw e;
        }
    }

    void begin(ClaimedJob job, TimedRun timed) {
        watched.add(job);
        if (timed.due() - looksAt < 0) {
            loop.wake();
        }
    }

    @Override
    public void leave(ClaimedJob job) {
        if (job.part(TimedRun.class) != null) {
            watched.remove(job);
        }
    }

    /** A job whose thread was left behind fails with the reason for that. */
    @Override
    public @Nullable Outcome thrown(ClaimedJob job, Throwable thrown, JobPart.Fails fails) {
        TimedRun timed = job.part(TimedRun.class);
        if (timed == null || !timed.isOver()) {
            return null;
        }
        Throwable failure = job.isAbandoned() ? thrown : timed.failure(thrown);
        return fails.with(failure, "timed out", timed.retry(), timed.mayRetry());
    }

    @Override
    public boolean isCancelled(ClaimedJob job) {
        return TimedRun.isOver(job);
    }

    @Override
    public @Nullable Duration remaining(ClaimedJob job) {
        TimedRun timed = job.part(TimedRun.class);
        return timed == null ? null : timed.remaining();
    }

    /** Looks at all executions. Returns how long until the next look unless one that is due earlier begins. */
    Duration runOnce() {
        long now = context.nanos();
        long next = now + IDLE.toNanos();
        looksAt = next; // until all are seen, one that begins wakes this thread
        for (ClaimedJob job : watched) {
            look(job, now);
            TimedRun timed = job.part(TimedRun.class);
            if (timed != null && InterruptibleRun.of(job).isInside() && timed.due() - next < 0) {
                next = timed.due();
            }
        }
        looksAt = next;
        return Duration.ofNanos(Math.max(0, next - context.nanos()));
    }

    private void look(ClaimedJob job, long now) {
        TimedRun timed = job.part(TimedRun.class);
        if (timed == null || timed.due() - now > 0) {
            return;
        }
        if (timed.isOver()) {
            context.abandoned().incrementAndGet(); // before the thread can count itself out
            Thread thread = InterruptibleRun.of(job).abandon(timed.failure(null));
            if (thread == null) {
                context.abandoned().decrementAndGet();
            } else {
                watched.remove(job);
                abandoned.accept(job, thread);
            }
            return;
        }
        Thread thread = job.runner();
        StackTraceElement[] stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        if (timed.isRunning()) {
            if (!InterruptibleRun.of(job).whileInside(timed::becomeSlow)) {
                return;
            }
            Duration left = timed.remaining();
            log.warn(
                    "Job {} takes long: in {} s it has to end. It is at\n    {}",
                    job,
                    left.toMillis() / 1_000.0,
                    String.join("\n    ", Threads.frames(stack)));
            context.hooks().tell(listener -> listener.slow(job, List.of(stack)));
        }
        if (timed.due() - context.nanos() <= 0) {
            InterruptibleRun.of(job).interruptInside(() -> timed.tellToEnd(stack));
        }
    }
}
