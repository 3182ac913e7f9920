package dev.jobs.test;

import dev.jobs.JobListener.Ending;
import dev.jobs.client.ReadyJob;
import dev.jobs.test.ExecutionEnds.Executed;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a test: {@link JobsAssertions#assertThat(TestJobs)} checks which were enqueued. They are forgotten before
 * each test method. Thread-safe.
 */
public final class TestJobs {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final RecordedJobs recorded;
    private final ExecutionEnds executions;
    private final UnstoredJobs unstored;
    private final TestEngine engine;
    private final TestClock clock;
    private final Supplier<List<ReadyJob>> waiting;

    /** @param waiting for the commit of the calling thread's transaction */
    TestJobs(
            RecordedJobs recorded,
            ExecutionEnds executions,
            UnstoredJobs unstored,
            TestEngine engine,
            TestClock clock,
            Supplier<List<ReadyJob>> waiting) {
        this.recorded = recorded;
        this.executions = executions;
        this.unstored = unstored;
        this.engine = engine;
        this.clock = clock;
        this.waiting = waiting;
        clock.drive(engine);
    }

    /** All jobs enqueued since the test began, in order. Jobs of batches are not among them. */
    public List<EnqueuedJob> enqueued() {
        return recorded.all();
    }

    /**
     * The jobs that wait for the commit of the calling thread's transaction, in order: in a {@code @Transactional} test,
     * those that it has enqueued. They are {@link #enqueued} once the transaction has committed.
     */
    public List<EnqueuedJob> waitingForCommit() {
        return waiting.get().stream().map(recorded::shown).toList();
    }

    /** The clock of these jobs. */
    public TestClock clock() {
        return clock;
    }

    /**
     * Runs all jobs that are due, and those that they enqueue; with {@link JobsMode#WORKER}, waits up to 10 s until the
     * worker has, and has called the last words and death handlers of those that died. Jobs that are due later stay.
     *
     * @throws JobRunException if a job fails, after all have run; not with {@link JobsMode#WORKER}
     */
    public void drain() {
        drain(PATIENCE);
    }

    /** The same, waiting at most this long for a worker. */
    public void drain(Duration atMost) {
        engine.drain(atMost);
    }

    /**
     * Waits up to 10 s until a job has succeeded; without a worker, runs all jobs that are due.
     *
     * @throws AssertionError if it doesn't
     * @throws JobRunException if a job fails that runs on this thread
     */
    public void awaitDone(String jid) {
        awaitDone(jid, PATIENCE);
    }

    /** The same, waiting at most this long. */
    public void awaitDone(String jid, Duration atMost) {
        if (engine instanceof MemoryEngine) {
            engine.drain(atMost);
            requireDone(jid, Duration.ZERO);
        } else {
            requireDone(jid, atMost);
        }
    }

    private void requireDone(String jid, Duration atMost) {
        executions.await(() -> hasEnded(executions.of(jid)), atMost);
        Executed last = executions.of(jid);
        if (last == null) {
            throw new AssertionError("Job " + jid + " has not run within " + atMost);
        }
        if (last.last() != Ending.DONE) {
            throw new AssertionError("Job " + jid + " is not done: " + shown(last), last.failure());
        }
    }

    /** The lines that a job has logged, the oldest first; with {@link JobsMode#WORKER}, those that are kept. */
    public List<String> log(String jid) {
        return engine.log(jid);
    }

    /** Whether no other execution follows. */
    private static boolean hasEnded(@Nullable Executed executed) {
        return executed != null
                && switch (executed.last()) {
                    case RETRIED, INTERRUPTED, POSTPONED, OVER_LIMIT, HANDED_BACK, LOST -> false;
                    case DONE, DEAD, DISCARDED, FAILED, SKIPPED, CANCELLED, EXPIRED, REPLACED -> true;
                };
    }

    static String shown(@Nullable Executed executed) {
        if (executed == null) {
            return "it has not run";
        }
        return "its execution number " + executed.count() + " ended as " + executed.last()
                + (executed.failure() == null ? "" : " with " + executed.failure());
    }

    @Nullable Executed executed(EnqueuedJob job) {
        return executions.of(job.jid());
    }

    UnstoredJobs unstored() {
        return unstored;
    }

    /** Forgets all jobs. */
    void reset() {
        engine.reset();
        recorded.clear();
        executions.clear();
    }
}
