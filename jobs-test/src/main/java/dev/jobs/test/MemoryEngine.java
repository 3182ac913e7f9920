package dev.jobs.test;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.InlineRunner;
import dev.jobs.client.JobStore;
import dev.jobs.client.ReadyJob;
import dev.jobs.codec.AnyFailure;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import dev.jobs.transactions.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps jobs in memory and runs them on the test's threads: each at once, or all that are due when the test asks for
 * it. A job that is enqueued by a running one runs when that has ended, as on a worker. Thread-safe.
 */
final class MemoryEngine implements JobStore, TestEngine {

    /** How long a job or a slot is postponed when an enqueue middleware failed, as by a worker. */
    static final Duration POSTPONED = Duration.ofSeconds(15);

    /** More jobs or slots in one call mean that it would never end. */
    private static final int MOST = 100_000;

    private record Queued(String queue, byte[] payload) {}

    /** @param scheduled whether it has not been in a queue, so that a later one may take its place */
    private record Waiting(Instant due, long number, Queued job, boolean scheduled) {}

    /** What one call of a test's thread runs. */
    private static final class Run {
        private final Queue<Queued> jobs = new ArrayDeque<>();
        private final List<JobRunException> failures = new ArrayList<>();
        private int count;
    }

    private final boolean inline;
    private final TestClock clock;
    private final PayloadTimes times;
    private final Supplier<JobHooks> hooks;
    private final Supplier<InlineRunner> runner;
    private final Supplier<MemoryRecurringJobs> recurring;
    private final MemoryLocks locks;
    private final Supplier<Transactions> transactions;
    private final MemoryResults results;

    /** The calls that run jobs now. */
    private final Map<Thread, Run> running = new ConcurrentHashMap<>();

    // Guarded by this.
    private final Queue<Queued> ready = new ArrayDeque<>();
    private final PriorityQueue<Waiting> waiting =
            new PriorityQueue<>(Comparator.comparing(Waiting::due).thenComparing(Waiting::number));
    private final Map<String, Instant> cancelled = new HashMap<>();
    private long number;

    /**
     * @param inline whether a job runs when it is enqueued or due, instead of waiting for {@link #drain}
     * @param transactions tells those that have ended on their threads: jobs have no part in them
     */
    MemoryEngine(
            boolean inline,
            TestClock clock,
            PayloadTimes times,
            Supplier<JobHooks> hooks,
            Supplier<InlineRunner> runner,
            Supplier<MemoryRecurringJobs> recurring,
            MemoryLocks locks,
            Supplier<Transactions> transactions) {
        this.inline = inline;
        this.clock = clock;
        this.times = times;
        this.hooks = hooks;
        this.runner = runner;
        this.recurring = recurring;
        this.locks = locks;
        this.transactions = transactions;
        this.results = new MemoryResults(this::runForWait, clock::instant);
    }

    @Override
    public JobPushes.Sent send(List<ReadyJob> jobs) {
        Run current = running.get(Thread.currentThread());
        SortedMap<Integer, String> refused = new TreeMap<>();
        Set<Integer> later = new HashSet<>();
        for (int i = 0; i < jobs.size(); i++) {
            ReadyJob job = jobs.get(i);
            MemoryLocks.Decision decision =
                    locks.take(Payload.parse(job.payload()), EnqueuedJob.time(job.at()), this::removeScheduled);
            String reason = decision.refused();
            Instant due = decision.due();
            Payload waits = decision.later();
            Queued queued = new Queued(job.queue(), waits == null ? job.payload() : waits.bytes());
            if (waits != null) {
                later.add(i);
            }
            if (reason != null) {
                refused.put(i, reason);
            } else if (due != null) {
                delay(queued, due, true);
            } else if (current != null) {
                current.jobs.add(queued);
            } else {
                synchronized (this) {
                    ready.add(queued);
                }
            }
        }
        return new UnstoredJobs.Stored(
                inline && current == null ? () -> report(run(this::addDue)) : () -> {},
                new PushAnswers(refused, later));
    }

    private synchronized void delay(Queued job, Instant due, boolean scheduled) {
        waiting.add(new Waiting(due, number++, job, scheduled));
    }

    private synchronized boolean removeScheduled(String jid) {
        return waiting.removeIf(each -> each.scheduled()
                && jid.equals(Payload.parse(each.job().payload()).jid()));
    }

    @Override
    public synchronized Instant cancel(String jid, Instant now) {
        Instant before = cancelled.putIfAbsent(jid, now);
        if (!running.isEmpty()) {
            runner.get().cancelled(cancelled.keySet()); // it may be the one that runs
        }
        return before == null ? now : before;
    }

    @Override
    public MemoryResults results() {
        return results;
    }

    /** What fails is told by its result. A job waits in vain for another one of its own call. */
    private void runForWait() {
        if (!running.containsKey(Thread.currentThread())) {
            run(this::addDue);
        }
    }

    @Override
    public List<String> log(String jid) {
        return results.log(jid);
    }

    /** Memory answers at once; what waits for a commit would be given up after three times this. */
    @Override
    public Duration timeout() {
        return Duration.ofMinutes(1);
    }

    @Override
    public void drain(Duration atMost) {
        if (running.containsKey(Thread.currentThread())) {
            throw new IllegalStateException("A job can't drain the jobs that it is one of");
        }
        report(run(this::addDue));
    }

    @Override
    public void advanceTo(Instant target) {
        if (running.containsKey(Thread.currentThread())) {
            throw new IllegalStateException("A job can't advance the clock");
        }
        for (int steps = 0; steps < MOST; steps++) {
            Instant next = next();
            if (next == null || next.isAfter(target)) {
                clock.moveTo(target);
                return;
            }
            clock.moveTo(next);
            if (inline) {
                run(own -> {
                    addDue(own);
                    recurring.get().fire(next);
                });
            } else {
                recurring.get().fire(next);
            }
        }
        throw new IllegalStateException("More than " + MOST + " jobs became due until " + target
                + "; advance the clock by less, or pause a recurring job");
    }

    @Override
    public void outageUntil(Instant target) {
        if (running.containsKey(Thread.currentThread())) {
            throw new IllegalStateException("A job can't advance the clock");
        }
        clock.moveTo(target);
        if (inline) {
            run(own -> {
                addDue(own);
                recurring.get().fireMissed();
            });
        } else {
            recurring.get().fireMissed();
        }
    }

    /** The next moment at which something happens. */
    private @Nullable Instant next() {
        Instant slot = recurring.get().next();
        Instant due;
        synchronized (this) {
            due = inline && !waiting.isEmpty() ? waiting.peek().due() : null;
        }
        return slot == null || due != null && due.isBefore(slot) ? due : slot;
    }

    private void addDue(Run run) {
        List<Waiting> due = new ArrayList<>();
        synchronized (this) {
            for (Queued each = ready.poll(); each != null; each = ready.poll()) {
                run.jobs.add(each);
            }
            while (!waiting.isEmpty() && !waiting.peek().due().isAfter(clock.instant())) {
                due.add(waiting.remove());
            }
        }
        due.forEach(each -> promote(each, run));
    }

    /** As a worker does it: through the enqueue middleware again, and with the time of today. */
    private void promote(Waiting due, Run run) {
        Payload stored = Payload.parse(due.job().payload());
        JobHooks hooks = this.hooks.get();
        Payload payload;
        try {
            payload = EnqueueMiddleware.apply(hooks.enqueueMiddleware(), stored);
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            Instant again = clock.instant().plus(POSTPONED);
            delay(due.job(), again, due.scheduled());
            locks.moved(stored, again);
            hooks.failed(e, "An enqueue middleware failed for a due job, which is tried again later", stored);
            return;
        }
        if (payload == null) {
            results.refused(stored);
            ended(stored);
            return;
        }
        String queue = Objects.requireNonNullElse(payload.queue(), due.job().queue());
        Payload stamped = payload.without("at").with("enqueued_at", times.of(clock.instant()));
        run.jobs.add(new Queued(queue, stamped.bytes()));
        Duration lateness = Duration.between(due.due(), clock.instant());
        hooks.tell(listener -> listener.promoted(String.valueOf(stamped.jobName()), queue, lateness));
    }

    /** Something that adds jobs to a run. */
    private interface Start {
        void addTo(Run run);
    }

    private List<JobRunException> run(Start start) {
        if (!transactions.get().isEnded()) {
            return runHere(start);
        }
        EndedTransaction ended = EndedTransaction.suspend();
        try {
            return runHere(start);
        } finally {
            ended.resume();
        }
    }

    private List<JobRunException> runHere(Start start) {
        Run run = new Run();
        running.put(Thread.currentThread(), run);
        try {
            start.addTo(run);
            do {
                for (Queued job = run.jobs.poll(); job != null; job = run.jobs.poll()) {
                    if (++run.count > MOST) {
                        throw new IllegalStateException(
                                "More than " + MOST + " jobs ran in one call: do they enqueue each other endlessly?");
                    }
                    run(job, run);
                }
            } while (recurring.get().fireWaiting());
        } finally {
            running.remove(Thread.currentThread());
        }
        return run.failures;
    }

    private void run(Queued job, Run run) {
        InlineRunner inline = runner.get();
        if (!inline.knows(Payload.parse(job.payload()))) {
            return; // another application has it
        }
        synchronized (this) {
            inline.cancelled(cancelled.keySet());
        }
        inline.run(job.queue(), job.payload(), result -> settle(job, result, run));
    }

    private void settle(Queued job, InlineRunner.Result result, Run run) {
        Payload payload = Payload.parse(job.payload());
        results.keep(payload, result.kept(), result.lines());
        Payload again = result.payload();
        Duration delay = result.delay();
        Instant due = delay == null ? null : clock.instant().plus(delay);
        if (again == null) {
            ended(payload);
        } else {
            Queued next = new Queued(Objects.requireNonNullElse(again.queue(), job.queue()), again.bytes());
            locks.moved(again, due);
            if (due != null) {
                delay(next, due, false);
            } else {
                run.jobs.add(next);
            }
        }
        Throwable failure = result.failure();
        if (failure != null) {
            run.failures.add(new JobRunException(
                    "Job " + payload.jobName() + " (jid " + payload.jid() + ") failed and " + fate(result.ending(), due)
                            + ": " + failure,
                    failure));
        }
    }

    private void ended(Payload job) {
        locks.ended(job);
        recurring.get().ended(job);
    }

    private static String fate(Ending ending, @Nullable Instant due) {
        if (due != null) {
            return "is retried at " + due;
        }
        return ending == Ending.DEAD ? "is dead" : "is discarded";
    }

    private static void report(List<JobRunException> failures) {
        if (!failures.isEmpty()) {
            JobRunException first = failures.get(0);
            failures.subList(1, failures.size()).forEach(first::addSuppressed);
            throw first;
        }
    }

    @Override
    public void reset() {
        synchronized (this) {
            ready.clear();
            waiting.clear();
            cancelled.clear();
        }
        locks.clear();
        results.clear();
        recurring.get().reset();
    }

    @Override
    public void close() {}
}
