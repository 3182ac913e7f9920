package dev.jobs.interop;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.iterations.Iteration;
import dev.jobs.limits.Limit;
import dev.jobs.retries.Retry;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Java's jobs, with names that Ruby can have, too. They record their executions. */
final class JavaJobs {

    /**
     * One execution.
     *
     * @param what the note of the job
     */
    record Performed(String jid, int attempt, @Nullable Object what) {}

    /** A type to which a parameter is bound. */
    record Invoice(
            long number,
            BigDecimal amount,
            List<String> lines,
            @Nullable String remark,
            Instant due) {}

    /** An argument of every type that matters. */
    record Typed(
            int small,
            long large,
            BigInteger huge,
            double fraction,
            boolean flag,
            String text,
            Map<String, Integer> counts,
            Invoice invoice) {}

    final Queue<Performed> performed = new ConcurrentLinkedQueue<>();

    private final Map<String, AtomicInteger> runningByKey = new ConcurrentHashMap<>();

    /** Notes whether the value is the expected one, big or small, integer or float. */
    @Job("Interop::Value")
    void value(String name, @Nullable Object value, JobContext job) {
        Object stored = job.payload().args().get(1);
        Object expected = Values.get(name);
        note(
                job,
                Values.same(expected, stored)
                        ? "as expected"
                        : Values.show(stored) + " instead of " + Values.show(expected));
    }

    @Job("Interop::Typed")
    void typed(
            int small,
            long large,
            BigInteger huge,
            double fraction,
            boolean flag,
            String text,
            Map<String, Integer> counts,
            Invoice invoice,
            JobContext job) {
        note(job, new Typed(small, large, huge, fraction, flag, text, counts, invoice));
    }

    /** Notes its argument. */
    @Job("Interop::Note")
    void note(@Nullable Object argument, JobContext job) {
        note(job, job.payload().args());
    }

    /** Notes its argument; unknown to Ruby. */
    @Job("Interop::JavaOnly")
    void noteOfOurs(@Nullable Object argument, JobContext job) {
        note(argument, job);
    }

    /** Takes a moment, so that other workers get some jobs, too. */
    @Job("Interop::Brief")
    void brief(int number, JobContext job) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(2);
        note(job, number);
    }

    /** Takes a moment, and notes how many of its key run meanwhile. */
    @Job("Interop::Limited")
    @Limit(name = "interop", key = "{0}", concurrency = 1)
    void limited(String key, int number, JobContext job) throws InterruptedException {
        AtomicInteger running = runningByKey.computeIfAbsent(key, each -> new AtomicInteger());
        int now = running.incrementAndGet();
        TimeUnit.MILLISECONDS.sleep(5);
        running.decrementAndGet();
        note(job, now);
    }

    /** Fails. */
    @Job("Interop::Fail")
    void fail(@Nullable Object argument, JobContext job) {
        note(job, argument);
        throw new IllegalStateException("Java can't do this: é😀 " + argument);
    }

    /** Fails, and says when it is retried. */
    @Job("Interop::Ruled")
    @Retry(maxRetries = 2, delay = "2d", multiplier = 3)
    void failByRule(@Nullable Object argument, JobContext job) {
        fail(argument, job);
    }

    /** Counts, one number at a time, and notes its events. */
    @Job("Interop::Count")
    Iteration<Integer> count(int count, JobContext job) {
        return Iteration.over(IntStream.range(0, count).boxed().toList())
                .each(number -> {
                    note(job, number);
                    TimeUnit.MILLISECONDS.sleep(20);
                })
                .onResume(() -> note(job, "resumed"))
                .onCancel(() -> note(job, "cancelled"))
                .onComplete(() -> note(job, "complete"));
    }

    /** Runs until a file exists. */
    @Job("Interop::Wait")
    void await(String file, JobContext job) throws InterruptedException {
        while (!Files.exists(Path.of(file))) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        note(job, file);
    }

    private void note(JobContext job, @Nullable Object what) {
        performed.add(new Performed(job.jid(), job.attempt(), what));
    }

    /** How often a job has been performed so far. */
    long performed(String jid) {
        return performed.stream().filter(each -> each.jid().equals(jid)).count();
    }
}
