package dev.jobs.interop;

import dev.jobs.Iteration;
import dev.jobs.Job;
import dev.jobs.JobContext;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Our jobs, named so that Ruby can have them, too. They remember what they did. */
final class JavaJobs {

    /**
     * One execution.
     *
     * @param what it noted
     */
    record Performed(String jid, int attempt, @Nullable Object what) {}

    /** What typed parameters can be bound to. */
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

    /** Says whether the value is what it should be, big or small, integer or float. */
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

    /** Says what it was given. */
    @Job("Interop::Note")
    void note(@Nullable Object argument, JobContext job) {
        note(job, job.payload().args());
    }

    /** Says what it was given, and isn't known to Ruby. */
    @Job("Interop::JavaOnly")
    void noteOfOurs(@Nullable Object argument, JobContext job) {
        note(argument, job);
    }

    /** Takes its time, so that other workers get some, too. */
    @Job("Interop::Brief")
    void brief(int number, JobContext job) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(2);
        note(job, number);
    }

    /** Fails. */
    @Job("Interop::Fail")
    void fail(@Nullable Object argument, JobContext job) {
        note(job, argument);
        throw new IllegalStateException("Java can't do this: é😀 " + argument);
    }

    /** Counts, a number at a time, and says what else becomes of it. */
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

    /** Runs until there is a file. */
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

    /** How often it has performed a job so far. */
    long performed(String jid) {
        return performed.stream().filter(each -> each.jid().equals(jid)).count();
    }
}
