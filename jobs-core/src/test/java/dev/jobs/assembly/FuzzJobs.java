package dev.jobs.assembly;

import dev.jobs.Job;
import dev.jobs.JobContext;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/** Jobs with parameters of many types, which read all their arguments; some of them fail. */
final class FuzzJobs {

    /** A job's name and the JSON text of arguments for it. */
    record Call(String name, String arguments) {}

    /** Calls that run to their end. */
    static final List<Call> FITTING = List.of(
            new Call("Fuzz::None", "[]"),
            new Call("Fuzz::Text", "[\"é漢😀\"]"),
            new Call("Fuzz::Text", "[\"a\\u0000b\\n\",\"x\"]"),
            new Call("Fuzz::Text", "[null,null]"),
            new Call("Fuzz::Numbers", "[-2147483648,9223372036854775807,1e-300]"),
            new Call("Fuzz::Numbers", "[0,-0,7]"),
            new Call("Fuzz::Exact", "[123456789012345678901234567890,\"0.10\"]"),
            new Call("Fuzz::Times", "[\"2026-07-28T12:00:00.5Z\",\"PT15M\"]"),
            new Call("Fuzz::Choice", "[\"RED\",true]"),
            new Call("Fuzz::Lists", "[[\"a\",\"\"],[1,2,3],[1.5,2]]"),
            new Call(
                    "Fuzz::Order",
                    "[{\"id\":\"o1\",\"lines\":[{\"sku\":\"a\",\"quantity\":2}],\"note\":null,\"extra\":{\"@class\":\"java.net.URL\"}}]"),
            new Call("Fuzz::Any", "[[1,{\"a\":[null,1.0,12345678901234567890]}],{\"k\":[]}]"),
            new Call("Fuzz::Context", "[]"));

    /** Calls whose jobs throw something. */
    static final List<Call> FAILING = List.of(
            new Call("Fuzz::Fails", "[\"two\\nlines and half a pair \\ud83d\"]"),
            new Call("Fuzz::Throws", "[\"overflow\"]"),
            new Call("Fuzz::Throws", "[\"error\"]"),
            new Call("Fuzz::Throws", "[\"linkage\"]"),
            new Call("Fuzz::Throws", "[\"interrupted\"]"),
            new Call("Fuzz::Throws", "[\"message\"]"),
            new Call("Fuzz::Throws", "[\"bare\"]"),
            new Call("Fuzz::Once", "[1]"),
            new Call("Fuzz::Forgotten", "[]"),
            new Call("Fuzz::Twice", "[\"x\"]"));

    /** How often a job finished. */
    final LongAdder done = new LongAdder();

    private final CyclicBarrier together;

    /** @param threads how many jobs can run at once */
    FuzzJobs(int threads) {
        together = new CyclicBarrier(threads);
    }

    enum Color {
        RED,
        GREEN
    }

    record Line(String sku, int quantity) {}

    record Order(String id, List<Line> lines, Optional<String> note, Map<String, Object> extra) {}

    @Job("Fuzz::None")
    void none() {
        done.increment();
    }

    @Job("Fuzz::Text")
    void text(String text, Optional<String> more) {
        use(text, more);
    }

    @Job("Fuzz::Numbers")
    void numbers(int a, long b, double c) {
        use(a, b, c);
    }

    @Job("Fuzz::Exact")
    void exact(BigInteger a, BigDecimal b) {
        use(a, b);
    }

    @Job("Fuzz::Times")
    void times(Instant at, Duration length) {
        use(at, length);
    }

    @Job("Fuzz::Choice")
    void choice(Color color, boolean sure) {
        use(color, sure);
    }

    @Job("Fuzz::Lists")
    void lists(List<String> texts, int[] numbers, List<Double> more) {
        use(texts, numbers, more);
    }

    @Job("Fuzz::Order")
    void order(Order order) {
        use(order);
    }

    @Job("Fuzz::Any")
    void any(Object anything, Map<String, Object> members, JobContext job) {
        use(anything, members, job);
    }

    @Job("Fuzz::Context")
    void context(JobContext job) {
        use(job.payload().asMap(), job.payload().args());
    }

    private void use(Object... arguments) {
        if (!Arrays.deepToString(arguments).isEmpty()) {
            done.increment();
        }
    }

    @Job("Fuzz::Fails")
    void fails(String message) {
        throw new IllegalStateException(message);
    }

    @Job("Fuzz::Throws")
    void anyThrowable(String what) throws Throwable {
        switch (String.valueOf(what)) {
            case "overflow" -> anyThrowable(what);
            case "error" -> throw new AssertionError("an error");
            case "linkage" -> throw new NoClassDefFoundError("gone");
            case "interrupted" -> {
                Thread.currentThread().interrupt();
                throw new InterruptedException("by itself");
            }
            case "message" ->
                throw new RuntimeException() {
                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("not even a message");
                    }
                };
            default -> throw new Throwable(what);
        }
    }

    @Job(value = "Fuzz::Once", retry = Job.NONE)
    void once(int number) {
        throw new IllegalArgumentException("once " + number);
    }

    @Job(value = "Fuzz::Forgotten", retry = 0, dead = false)
    void forgotten() {
        throw new IllegalArgumentException("forgotten");
    }

    @Job(value = "Fuzz::Twice", retry = 1, backtrace = 3, retryQueue = "low", tags = "a")
    void twice(String text) {
        throw new IllegalArgumentException(text);
    }

    /** Ends only when as many run at once as there are threads. */
    @Job("Fuzz::Together")
    void together() throws InterruptedException, BrokenBarrierException, TimeoutException {
        together.await(30, TimeUnit.SECONDS);
        done.increment();
    }
}
