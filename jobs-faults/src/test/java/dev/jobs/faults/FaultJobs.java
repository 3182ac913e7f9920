package dev.jobs.faults;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.batches.JobBatch;
import dev.jobs.iterations.Iteration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The jobs of a worker process: well-behaved and badly behaved ones. */
final class FaultJobs {

    private final Path directory;

    /** @param directory of the files that jobs wait for */
    FaultJobs(Path directory) {
        this.directory = directory;
    }

    /** Takes its time, as the load of the scenarios: the kills and faults need jobs that run for a known while. */
    @Job("Work")
    void work(long millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }

    /** Fails at its first attempt. */
    @Job("FailOnce")
    void failOnce(long millis, JobContext job) throws InterruptedException {
        work(millis);
        if (job.attempt() == 1) {
            throw new IllegalStateException("the first attempt fails");
        }
    }

    /** Takes longer than its timeout at its first attempt. */
    @Job(value = "TimeOutOnce", timeout = "2s")
    void timeOutOnce(JobContext job) throws InterruptedException {
        work(job.attempt() == 1 ? 60_000 : 10);
    }

    /** Ends for a reason of the business. */
    @Job("Refuse")
    void refuse(long millis) throws InterruptedException {
        work(millis);
        throw new JobFailedException("refused");
    }

    /** Adds a job to its batch. */
    @Job("Grow")
    void grow(long millis, JobContext job) {
        JobBatch.of(job).orElseThrow().add(JobCall.named("Work", millis));
    }

    /** Iterates over some elements. */
    @Job("Walk")
    Iteration<Integer> walk(int elements) {
        return Iteration.over(Collections.nCopies(elements, 1)).each(this::work);
    }

    /** Fails at the second element in its first attempt. */
    @Job("WalkAndFailOnce")
    Iteration<Integer> walkAndFailOnce(int elements, JobContext job) {
        List<Integer> performed = new ArrayList<>();
        return Iteration.over(Collections.nCopies(elements, 1)).each(element -> {
            if (!performed.isEmpty() && job.attempt() == 1) {
                throw new IllegalStateException("the first attempt fails");
            }
            performed.add(element);
        });
    }

    /** Runs until there is a file of this name. */
    @Job("Until")
    void until(String file) throws InterruptedException {
        while (!Files.exists(directory.resolve(file))) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** Reports its progress, and runs until there is a file of this name. */
    @Job("ReportUntil")
    void reportUntil(String file, JobContext job) throws InterruptedException {
        job.progress(1, 2);
        until(file);
    }

    /** Runs until there is a file of this name, and fails at its first attempt. */
    @Job("FailOnceAfter")
    void failOnceAfter(String file, JobContext job) throws InterruptedException {
        until(file);
        if (job.attempt() == 1) {
            throw new IllegalStateException("the first attempt fails");
        }
    }

    /** Carries a large argument and is done at once. */
    @Job("Heavy")
    void heavy(String ballast) {}

    /** Carries a large argument, and runs until there is a file of this name. */
    @Job("HeavyUntil")
    void heavyUntil(String file, String ballast) throws InterruptedException {
        until(file);
    }

    /** Carries a large argument, runs until there is a file of this name, and fails at its first attempt. */
    @Job("HeavyFailOnceAfter")
    void heavyFailOnceAfter(String file, String ballast, JobContext job) throws InterruptedException {
        failOnceAfter(file, job);
    }

    /** Runs until a file of this name exists, even if it is told to stop. */
    @Job("StubbornUntil")
    void stubbornUntil(String file) {
        while (!Files.exists(directory.resolve(file))) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            Thread.interrupted(); // or it would no longer wait
        }
    }

    /** Takes its time and ignores requests to stop. */
    @Job("Stubborn")
    void stubborn(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean interrupted = false;
        while (System.nanoTime() < end) {
            try {
                TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends its JVM. */
    @Job("Halt")
    void halt() {
        Runtime.getRuntime().halt(9);
    }

    /** Fills the heap. */
    @Job("EatMemory")
    int eatMemory() {
        List<long[]> eaten = new ArrayList<>();
        while (true) {
            eaten.add(new long[1 << 20]);
        }
    }

    /** Throws anything that can be thrown. */
    @Job(value = "Throw", retry = 0)
    void fail(String what) throws Throwable {
        switch (what) {
            case "checked" -> throw new java.io.IOException("checked");
            case "unchecked" -> throw new IllegalStateException("unchecked");
            case "error" -> throw new Error("error");
            case "assertion" -> throw new AssertionError("assertion");
            case "linkage" -> throw new NoClassDefFoundError("linkage");
            case "throwable" -> throw new Throwable("throwable");
            case "mute" -> throw new Mute();
            case "huge" -> throw new IllegalStateException("x".repeat(5_000_000));
            case "cyclic" -> throw cyclic();
            case "deep" -> deep("x");
            case "fatal" -> throw new InternalError("fatal");
            case "death" -> throw new ThreadDeath();
            case "faceless" -> throw new Faceless();
            case "unreadable" -> throw new Unreadable();
            case "suppressed" -> throw suppressed();
            case "high" -> throw high();
            case "garbled" -> throw new IllegalStateException("\ud800 \udfff \0 \r\n");
            case "interrupted" -> throw new InterruptedException("by itself");
            case "interrupts" -> Thread.currentThread().interrupt();
            case "both" -> {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("after it interrupted itself");
            }
            default -> throw new IllegalArgumentException(what);
        }
    }

    private static Exception cyclic() {
        Exception cause = new Exception("cause");
        Exception effect = new Exception("effect", cause);
        cause.initCause(effect);
        return effect;
    }

    private static Exception suppressed() {
        Exception one = new Exception("one");
        Exception other = new Exception("other", one);
        one.addSuppressed(other);
        return one;
    }

    /** An exception with a deep stack. */
    private static Exception high() {
        Exception high = new Exception("high");
        StackTraceElement[] frames = new StackTraceElement[100_000];
        Arrays.fill(frames, new StackTraceElement("Tower", "climb", "Tower.java", 1));
        high.setStackTrace(frames);
        return high;
    }

    private static int deep(String text) {
        return text.isEmpty() ? 0 : deep(text) + 1;
    }

    /** An exception that can't even return its message or text. */
    static final class Mute extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("no text");
        }
    }

    /** An exception that has a message, but no readable cause or stack trace. */
    static final class Faceless extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Faceless() {
            super("faceless");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException("no stack");
        }
    }

    /** An exception whose message needs a class that is missing. */
    static final class Unreadable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new NoClassDefFoundError("Unreadable$Message");
        }
    }
}
