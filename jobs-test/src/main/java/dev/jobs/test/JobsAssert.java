package dev.jobs.test;

import dev.jobs.JobCall;
import dev.jobs.JobMethod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about the jobs that a test enqueued, jobs with a delay included. Arguments are compared as JSON, in the
 * form in which they are stored. A failure shows what was enqueued instead.
 *
 * <pre>{@code
 * assertThat(jobs).enqueued(Emails::welcome, "bob@example.com", 5);
 * assertThat(jobs).enqueued(Emails::remind, "bob@example.com").in(Duration.ofDays(3)).inQueue("low");
 * assertThat(jobs).notEnqueued("Invoices.send");
 * }</pre>
 */
public final class JobsAssert extends AbstractAssert<JobsAssert, TestJobs> {

    private static final String WAITING = " waiting for the commit";

    private final List<EnqueuedJob> jobs;
    private final String where;

    /** @param where restricts the jobs; for messages */
    JobsAssert(TestJobs actual, List<EnqueuedJob> jobs, String where) {
        super(actual, JobsAssert.class);
        this.jobs = jobs;
        this.where = where;
    }

    /** No job was enqueued. */
    public JobsAssert none() {
        return hasSize(0);
    }

    /** This number of jobs was enqueued. */
    public JobsAssert hasSize(int count) {
        if (jobs.size() != count) {
            throw failure("Expected %d jobs%s, but %s", count, where, found());
        }
        return this;
    }

    /** Restricts the following assertions to the jobs of a queue. */
    public JobsAssert inQueue(String queue) {
        List<EnqueuedJob> some =
                jobs.stream().filter(job -> job.queue().equals(queue)).toList();
        JobsAssert restricted = new JobsAssert(actual, some, where + " in queue " + queue);
        restricted.info.description(info.description());
        return restricted;
    }

    /**
     * Turns to the jobs that wait for the commit of the current transaction, for tests whose transaction is rolled back.
     * They are not enqueued yet.
     */
    public JobsAssert waitingForCommit() {
        JobsAssert waiting = new JobsAssert(actual, actual.waitingForCommit(), WAITING);
        waiting.info.description(info.description());
        return waiting;
    }

    /** The job of a call was enqueued. The options of the call are not compared. */
    public EnqueuedJobAssert enqueued(JobCall call) {
        EnqueuedJob expected = actual.unstored().of(call);
        List<EnqueuedJob> matching =
                jobs.stream().filter(job -> isSame(job, expected)).toList();
        if (matching.isEmpty()) {
            throw failure("Expected a job%s%s%nbut %s", where, listed(List.of(call(expected))), found());
        }
        return narrowed(matching);
    }

    /** A job was enqueued by name with these arguments. */
    public EnqueuedJobAssert enqueued(String name, @Nullable Object... arguments) {
        return enqueued(JobCall.named(name, arguments));
    }

    /** A job of that name was enqueued, with any arguments. */
    public EnqueuedJobAssert enqueuedNamed(String name) {
        List<EnqueuedJob> matching =
                jobs.stream().filter(job -> job.name().equals(name)).toList();
        if (matching.isEmpty()) {
            throw failure("Expected a job%s with the name %s, but %s", where, name, found());
        }
        return narrowed(matching);
    }

    private EnqueuedJobAssert narrowed(List<EnqueuedJob> matching) {
        EnqueuedJobAssert narrowed = new EnqueuedJobAssert(this, actual, matching);
        narrowed.as(info.description());
        return narrowed;
    }

    /** The job of a call was not enqueued. */
    public JobsAssert notEnqueued(JobCall call) {
        EnqueuedJob unexpected = actual.unstored().of(call);
        if (jobs.stream().anyMatch(job -> isSame(job, unexpected))) {
            throw failure("Expected no job%s%s%nbut %s", where, listed(List.of(call(unexpected))), found());
        }
        return this;
    }

    /** No job of that name was enqueued. */
    public JobsAssert notEnqueued(String name) {
        if (jobs.stream().anyMatch(job -> job.name().equals(name))) {
            throw failure("Expected no job%s with the name %s, but %s", where, name, found());
        }
        return this;
    }

    /** The jobs of these calls were enqueued in this order; others may lie between them. */
    public JobsAssert enqueuedInOrder(JobCall... calls) {
        List<EnqueuedJob> expected = unstored(calls);
        int next = 0;
        for (EnqueuedJob job : jobs) {
            if (next < expected.size() && isSame(job, expected.get(next))) {
                next++;
            }
        }
        if (next < expected.size()) {
            throw failure(
                    "Expected jobs%s in this order:%s%nbut %s",
                    where, listed(expected.stream().map(JobsAssert::call).toList()), found());
        }
        return this;
    }

    /** The jobs of these calls were enqueued in this order, and no others. */
    public JobsAssert enqueuedExactly(JobCall... calls) {
        List<EnqueuedJob> expected = unstored(calls);
        boolean same = expected.size() == jobs.size();
        for (int i = 0; same && i < jobs.size(); i++) {
            same = isSame(jobs.get(i), expected.get(i));
        }
        if (!same) {
            throw failure(
                    "Expected exactly these jobs%s in this order:%s%nbut %s",
                    where, listed(expected.stream().map(JobsAssert::call).toList()), found());
        }
        return this;
    }

    private List<EnqueuedJob> unstored(JobCall... calls) {
        return Arrays.stream(calls).map(actual.unstored()::of).toList();
    }

    private static boolean isSame(EnqueuedJob job, EnqueuedJob expected) {
        return job.name().equals(expected.name()) && job.json().equals(expected.json());
    }

    private static String call(EnqueuedJob job) {
        return job.name() + "(" + job.json().substring(1, job.json().length() - 1) + ")";
    }

    private String found() {
        boolean committed = !where.startsWith(WAITING);
        String found = jobs.isEmpty()
                ? committed ? "no job" + where + " was enqueued" : "there is no job" + where
                : (committed ? "the enqueued jobs" : "the jobs") + where + " are:" + shown(jobs);
        List<EnqueuedJob> waiting = committed ? actual.waitingForCommit() : List.of();
        return waiting.isEmpty()
                ? found
                : found
                        + "%nThese wait for the commit of the current transaction; see them with waitingForCommit(), or commit:"
                                .formatted()
                        + shown(waiting);
    }

    private static String shown(List<EnqueuedJob> jobs) {
        return listed(jobs.stream().map(EnqueuedJob::toString).toList());
    }

    /** A line for each. */
    static String listed(List<String> lines) {
        List<String> all = new ArrayList<>(List.of(""));
        all.addAll(lines);
        return String.join(System.lineSeparator() + "  ", all);
    }

    /** The job of a method was enqueued with these arguments. */
    public <T> EnqueuedJobAssert enqueued(JobMethod.P0<T> method) {
        return enqueued(JobCall.of(method));
    }

    /** The job of a method was enqueued with these arguments. */
    public <T> EnqueuedJobAssert enqueued(JobMethod.C0<T> method) {
        return enqueued(JobCall.of(method));
    }

    /** The job of a method was enqueued with these arguments. */
    public <T, A extends @Nullable Object> EnqueuedJobAssert enqueued(JobMethod.P1<T, A> method, A a) {
        return enqueued(JobCall.of(method, a));
    }

    /** The job of a method was enqueued with these arguments. */
    public <T, A extends @Nullable Object> EnqueuedJobAssert enqueued(JobMethod.C1<T, A> method, A a) {
        return enqueued(JobCall.of(method, a));
    }

    /** The job of a method was enqueued with these arguments. */
    public <T, A extends @Nullable Object, B extends @Nullable Object> EnqueuedJobAssert enqueued(
            JobMethod.P2<T, A, B> method, A a, B b) {
        return enqueued(JobCall.of(method, a, b));
    }

    /** The job of a method was enqueued with these arguments. */
    public <T, A extends @Nullable Object, B extends @Nullable Object> EnqueuedJobAssert enqueued(
            JobMethod.C2<T, A, B> method, A a, B b) {
        return enqueued(JobCall.of(method, a, b));
    }

    /** The job of a method was enqueued with these arguments. */
    public <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            EnqueuedJobAssert enqueued(JobMethod.P3<T, A, B, C> method, A a, B b, C c) {
        return enqueued(JobCall.of(method, a, b, c));
    }

    /** The job of a method was enqueued with these arguments. */
    public <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            EnqueuedJobAssert enqueued(JobMethod.C3<T, A, B, C> method, A a, B b, C c) {
        return enqueued(JobCall.of(method, a, b, c));
    }

    /** The job of a method was enqueued with these arguments. */
    public <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            EnqueuedJobAssert enqueued(JobMethod.P4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return enqueued(JobCall.of(method, a, b, c, d));
    }

    /** The job of a method was enqueued with these arguments. */
    public <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            EnqueuedJobAssert enqueued(JobMethod.C4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return enqueued(JobCall.of(method, a, b, c, d));
    }

    /** The job of a method was enqueued with these arguments. */
    public <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            EnqueuedJobAssert enqueued(JobMethod.P5<T, A, B, C, D, E> method, A a, B b, C c, D d, E e) {
        return enqueued(JobCall.of(method, a, b, c, d, e));
    }

    /** The job of a method was enqueued with these arguments. */
    public <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            EnqueuedJobAssert enqueued(JobMethod.C5<T, A, B, C, D, E> method, A a, B b, C c, D d, E e) {
        return enqueued(JobCall.of(method, a, b, c, d, e));
    }

    /** The job of a method was enqueued with these arguments. */
    public <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            EnqueuedJobAssert enqueued(JobMethod.P6<T, A, B, C, D, E, F> method, A a, B b, C c, D d, E e, F f) {
        return enqueued(JobCall.of(method, a, b, c, d, e, f));
    }

    /** The job of a method was enqueued with these arguments. */
    public <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            EnqueuedJobAssert enqueued(JobMethod.C6<T, A, B, C, D, E, F> method, A a, B b, C c, D d, E e, F f) {
        return enqueued(JobCall.of(method, a, b, c, d, e, f));
    }
}
