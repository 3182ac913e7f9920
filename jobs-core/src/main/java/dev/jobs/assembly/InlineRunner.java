package dev.jobs.assembly;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.JobRunner;
import dev.jobs.engine.Outcome;
import dev.jobs.iterations.Iteration;
import dev.jobs.iterations.Iteration.Item;
import dev.jobs.iterations.Iteration.Moment;
import dev.jobs.iterations.IterationPart;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limiters.LimiterConfig;
import dev.jobs.results.JobReport;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.threads.OutOfMemoryNotice;
import dev.jobs.threads.ThreadGuard;
import dev.jobs.threads.ThreadSnapshot;
import dev.jobs.threads.ThreadState;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs stored jobs on the caller's thread, without Redis, for tests: with the same arguments, middleware, decisions
 * about failures, listeners and handlers as an engine. Leaves it to the caller where the job goes. Thread-safe.
 */
@Internal
public final class InlineRunner {

    /**
     * How an execution ended.
     *
     * @param payload what waits for the retry or goes back to the queue; null if the job has ended
     * @param delay how long to wait for the retry, or for room in a limiter; null without one
     * @param failure what the job threw, or null
     * @param kept how the job ended, as it is kept for those who wait for it; null if nobody does
     * @param lines what it logged, the last lines
     */
    public record Result(
            Ending ending,
            @Nullable Payload payload,
            @Nullable Duration delay,
            @Nullable Throwable failure,
            byte @Nullable [] kept,
            List<String> lines) {}

    private static final Timing ENDLESS = new Timing(Duration.ofDays(1));

    private final JobRegistry registry;
    private final JobHooks hooks;
    private final LongSupplier nanoTime;
    private final List<ThreadState> states;
    private final JobRunner runner;
    private final Map<Thread, ClaimedJob> running = new ConcurrentHashMap<>();
    private final CancelledJobs cancelled = new CancelledJobs();

    /**
     * @param maxAttempts how often a job is retried unless its payload says otherwise
     * @param times how times are written into payloads
     * @param limiters what becomes of jobs that are over a limit
     * @param current tells limiters which job a thread runs
     * @param beginning called with the payload of a unique job before its method; returns false if another one has
     *     replaced it
     */
    public InlineRunner(
            JobRegistry registry,
            JobHooks hooks,
            int maxAttempts,
            PayloadTimes times,
            EngineEnvironment environment,
            LimiterConfig limiters,
            CurrentDelivery current,
            Predicate<? super Payload> beginning) {
        this.registry = registry;
        this.hooks = hooks;
        this.nanoTime = environment.nanoTime();
        this.states = environment.threadStates();
        FailureHandling failures = new FailureHandling(
                hooks, maxAttempts, times, environment.clock(), environment.random(), RunParts.notes());
        ThreadGuard guard = new ThreadGuard(environment.outOfMemory());
        guard.says(new OutOfMemoryNotice<>(running::get, (job, reason) -> {}));
        this.runner = new JobRunner(
                registry,
                hooks,
                failures,
                environment.withOutOfMemory(guard::outOfMemory),
                RunParts.inMemory(
                        registry,
                        hooks,
                        failures,
                        environment,
                        limiters,
                        current,
                        cancelled,
                        beginning,
                        new CursorsInMemory(cancelled)));
    }

    /** Whether a job is one of this application. A worker leaves others to workers that know them. */
    public boolean knows(Payload job) {
        return isKnown(job.name()) || isKnown(job.jobName());
    }

    private boolean isKnown(@Nullable String name) {
        return registry.find(name).isPresent()
                || name != null && registry.upcastNames().contains(name);
    }

    /** Sets which jobs are cancelled: they are not run, or end as soon as they ask. */
    public synchronized void cancelled(Collection<String> jids) {
        cancelled.replace(jids);
    }

    /**
     * Runs a job. It finds nothing of the caller on the thread but a transaction, and what it leaves there is taken away.
     *
     * @param queue the queue that it comes from
     * @param stored its bytes
     * @param settled takes the job where it goes, before last words and death handlers are called
     */
    public void run(String queue, byte[] stored, Consumer<? super Result> settled) {
        ThreadSnapshot callers = ThreadSnapshot.takeAway(states);
        try {
            runHere(queue, stored, settled);
        } finally {
            callers.restore();
        }
    }

    private void runHere(String queue, byte[] stored, Consumer<? super Result> settled) {
        Incarnation lease = new Incarnation("inline", ENDLESS, () -> 0);
        lease.beaten(0);
        ClaimedJob job = new ClaimedJob(new Claimed("inline", queue, stored, 0), lease, 0, () -> false);
        long started = nanoTime.getAsLong();
        job.begin(started);
        ClaimedJob around = running.put(Thread.currentThread(), job); // a job may drain the queue that it is in
        Outcome outcome;
        try {
            outcome = runner.run(job);
        } finally {
            if (around == null) {
                running.remove(Thread.currentThread());
            } else {
                running.put(Thread.currentThread(), around);
            }
        }
        job.finish();
        Ending ending = outcome.ending();
        Duration took = Duration.ofNanos(nanoTime.getAsLong() - started);
        hooks.tell(listener -> listener.finished(job, ending, took, outcome.failure()));
        JobReport report = job.part(JobReport.class);
        byte[] kept = report != null && report.keepsResult() ? report.result(outcome) : null;
        List<String> lines = report == null ? List.of() : report.texts();
        settled.accept(new Result(ending, outcome.again(), outcome.delay(), outcome.failure(), kept, lines));
        Payload death = outcome.death();
        if (death != null) {
            hooks.died(death, outcome.failure());
        }
    }

    /** Iterates without leaving; after a failure the retry begins with the failed element. Thread-safe. */
    private static final class CursorsInMemory implements IterationPart.Walk {

        private final Map<String, byte[]> cursors = new ConcurrentHashMap<>();
        private final CancelledJobs cancelled;

        CursorsInMemory(CancelledJobs cancelled) {
            this.cancelled = cancelled;
        }

        @Override
        public void iterate(Iteration<?> iteration, ClaimedJob job) throws Exception {
            try {
                work(iteration, job);
            } catch (JsonException e) {
                throw new InvalidJobException(String.valueOf(e.getMessage()), e);
            }
            cursors.remove(job.jid());
            iteration.reached(Moment.STOP);
            iteration.reached(Moment.COMPLETE);
        }

        private <E extends @Nullable Object> void work(Iteration<E> iteration, ClaimedJob job) throws Exception {
            String jid = job.jid();
            byte[] stored = cursors.get(jid);
            try (Stream<Item<E>> items = iteration.open(stored == null ? null : JsonText.decode(stored))) {
                iteration.reached(stored == null ? Moment.START : Moment.RESUME);
                for (Iterator<Item<E>> all = items.iterator(); all.hasNext(); ) {
                    if (cancelled.contains(jid)) {
                        iteration.reached(Moment.CANCEL);
                        return;
                    }
                    Item<E> item = all.next();
                    cursors.put(jid, JsonText.encodeSame(item.cursor()));
                    iteration.perform(item.element());
                }
            }
        }
    }
}
