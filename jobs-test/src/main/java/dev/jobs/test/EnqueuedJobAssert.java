package dev.jobs.test;

import dev.jobs.JobListener.Ending;
import dev.jobs.test.ExecutionEnds.Executed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about the enqueued jobs that match a call. Each narrows them down to those for which it is true, and fails
 * if there are none left.
 */
public final class EnqueuedJobAssert extends AbstractAssert<EnqueuedJobAssert, List<EnqueuedJob>> {

    private final JobsAssert origin;
    private final TestJobs jobs;

    EnqueuedJobAssert(JobsAssert origin, TestJobs jobs, List<EnqueuedJob> matching) {
        super(matching, EnqueuedJobAssert.class);
        this.origin = origin;
        this.jobs = jobs;
    }

    /** Waited for this time when it was enqueued. */
    public EnqueuedJobAssert in(Duration delay) {
        return only("waits for " + delay, job -> {
            Duration waits = job.delay();
            return waits != null && waits.minus(delay).abs().toMillis() == 0;
        });
    }

    /** Is due at this time, to the millisecond. */
    public EnqueuedJobAssert at(Instant time) {
        return only(
                "is due at " + time,
                job -> job.at() != null
                        && Duration.between(job.at(), time).abs().toMillis() == 0);
    }

    /** Is due by now, by the test's clock. */
    public EnqueuedJobAssert isDue() {
        return only(
                "is due",
                job -> job.at() == null || !job.at().isAfter(jobs.clock().instant()));
    }

    /** Was enqueued to run at once. */
    public EnqueuedJobAssert withoutDelay() {
        return only("has no delay", job -> job.at() == null);
    }

    /** Went to this queue. */
    public EnqueuedJobAssert inQueue(String queue) {
        return only("is in queue " + queue, job -> job.queue().equals(queue));
    }

    /** Has a member in its payload, such as {@code retry} or {@code tags}, with this value as read from JSON. */
    public EnqueuedJobAssert with(String member, @Nullable Object value) {
        return only(
                "has " + member + " = " + value,
                job -> job.payload().has(member)
                        && java.util.Objects.equals(job.payload().get(member), value));
    }

    /** There is exactly this number of them. */
    public EnqueuedJobAssert times(int count) {
        if (actual.size() != count) {
            throw failure(
                    "Expected %d such jobs, but there are %d:%s", count, actual.size(), listed(EnqueuedJob::toString));
        }
        return this;
    }

    /** Has run and succeeded. */
    public EnqueuedJobAssert isDone() {
        return ended("is done", Ending.DONE);
    }

    /** Failed for good, and is in the dead set. */
    public EnqueuedJobAssert isDead() {
        return ended("is dead", Ending.DEAD);
    }

    /** Failed, and waits for its retry. */
    public EnqueuedJobAssert isWaitingForRetry() {
        return ended("waits for its retry", Ending.RETRIED);
    }

    /** Was cancelled, and was not run or gave up. */
    public EnqueuedJobAssert isCancelled() {
        return ended("is cancelled", Ending.CANCELLED);
    }

    /** Has not run. */
    public EnqueuedJobAssert hasNotRun() {
        return only("has not run", job -> jobs.executed(job) == null);
    }

    /** Has run this often, retries included. */
    public EnqueuedJobAssert hasRun(int executions) {
        return only("has run " + executions + " times", job -> {
            Executed executed = jobs.executed(job);
            return executions == (executed == null ? 0 : executed.count());
        });
    }

    /** Failed with this type of exception when it ran last. */
    public EnqueuedJobAssert failedWith(Class<? extends Throwable> type) {
        return only("failed with " + type.getName(), job -> {
            Executed executed = jobs.executed(job);
            return executed != null && type.isInstance(executed.failure());
        });
    }

    private EnqueuedJobAssert ended(String expectation, Ending ending) {
        return only(expectation, job -> {
            Executed executed = jobs.executed(job);
            return executed != null && executed.last() == ending;
        });
    }

    private EnqueuedJobAssert only(String expectation, Predicate<EnqueuedJob> condition) {
        List<EnqueuedJob> left = actual.stream().filter(condition).toList();
        if (left.isEmpty()) {
            throw failure(
                    "Expected a job that %s, but the matching jobs are:%s",
                    expectation, listed(job -> job + "; " + TestJobs.shown(jobs.executed(job))));
        }
        EnqueuedJobAssert narrowed = new EnqueuedJobAssert(origin, jobs, left);
        narrowed.info.description(info.description());
        return narrowed;
    }

    private String listed(Function<EnqueuedJob, String> shown) {
        return JobsAssert.listed(actual.stream().map(shown).toList());
    }

    /** The jobs that are left. */
    public List<EnqueuedJob> jobs() {
        return actual;
    }

    /** Goes on with assertions about all jobs of the test. */
    public JobsAssert and() {
        return origin;
    }
}
