package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobRegistry;
import dev.jobs.Masked;
import dev.jobs.PayloadTimes;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.testing.LogLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;

/** The log lines of a failed job. */
class JobLogTests {

    private static final String FORGED = "no\n12:00:00 INFO all is well";

    @RegisterExtension
    private final LogLines lines = LogLines.of(JobLog.class);

    private final EngineEnvironment environment = EngineEnvironment.system();
    private final Incarnation incarnation =
            new Incarnation("me", new Timing(Duration.ofSeconds(20)), environment.nanoTime());
    private final JobRunner runner = runner(JobRegistry.of(new Failing()), JobHooks.none());

    static final class Failing {

        @Job("Fail")
        void fail(String message) {
            throw new UncheckedIOException(message, new IOException("the reason"));
        }

        @Job("Pay")
        void pay(@Masked String card) {
            throw new IllegalStateException("declined: " + card, new IOException("card " + card));
        }

        @Job("Inherit")
        void inherit(@Masked(dropTexts = true) String heir) {
            throw new IllegalStateException("the aunt of K.", new IOException("of K."));
        }

        @Job("Close")
        void close() {
            IllegalStateException failure = new IllegalStateException("plain");
            failure.addSuppressed(new IOException("not closed"));
            throw failure;
        }

        @Job("Suppress")
        void suppress() {
            IllegalStateException failure = new IllegalStateException("plain");
            failure.addSuppressed(new IOException(FORGED));
            throw failure;
        }

        @Job("Unreadable")
        void unreadable() {
            throw new RuntimeException() {
                @Override
                public String getMessage() {
                    throw new IllegalStateException("not even that");
                }
            };
        }

        @Job("Describe")
        void describe() {
            throw new IllegalStateException("plain") {
                @Override
                public String toString() {
                    return FORGED;
                }
            };
        }

        @Job("Circle")
        void circle() {
            RuntimeException one = new RuntimeException("one");
            RuntimeException other = new RuntimeException("other", one);
            one.initCause(other);
            throw one;
        }
    }

    private JobRunner runner(JobRegistry registry, JobHooks hooks) {
        FailureHandling failures = new FailureHandling(
                hooks, 25, PayloadTimes.MILLISECONDS, environment.clock(), environment.random(), RunParts.notes());
        return new JobRunner(
                registry,
                hooks,
                failures,
                environment,
                EngineTestBed.partsInMemory(registry, hooks, failures, new CancelledJobs()));
    }

    /** The line about the end of a job, followed by the error. */
    private String failed(String name, String args, String... members) {
        lines.clear();
        byte[] payload = EngineTestBed.payload(name, "0123456789abcdef01234567", args, members)
                .getBytes(UTF_8);
        runner.run(new ClaimedJob(new Claimed("0:1:1", "default", payload, 0), incarnation, 0, () -> false));
        assertThat(lines.events()).hasSize(2);
        ILoggingEvent line = lines.events().get(1);
        assertThat(line.getLevel()).isEqualTo(Level.WARN);
        return line.getFormattedMessage()
                + (line.getThrowableProxy() == null
                        ? ""
                        : "\n" + ThrowableProxyUtil.asString(line.getThrowableProxy()));
    }

    @Test
    void noMessageIsLoggedOrStoredIfAMaskedParameterSaysSo() {
        assertThat(failed("Inherit", "[\"Kim\"]", "\"backtrace\":5"))
                .contains(" s: java.lang.IllegalStateException: •••", "Caused by: java.io.IOException: •••")
                .contains("at dev.jobs.engine.JobLogTests$Failing.inherit(JobLogTests.java:")
                .doesNotContain("aunt", "of K.");

        byte[] payload = EngineTestBed.payload("Inherit", "j1", "[\"Kim\"]").getBytes(UTF_8);
        Outcome outcome =
                runner.run(new ClaimedJob(new Claimed("0:1:1", "default", payload, 0), incarnation, 0, () -> false));
        assertThat(outcome).isInstanceOf(FailedOutcome.Retried.class);
        assertThat(((FailedOutcome.Retried) outcome).payload().bytes())
                .asString(UTF_8)
                .contains("\"error_message\":\"•••\"", "\"message\":\"•••\"")
                .doesNotContain("aunt");
    }

    @Test
    void theFirstFailureComesWithItsStackTrace() {
        assertThat(failed("Fail", "[\"gone\"]"))
                .startsWith("fail Fail jid=0123456789abcdef01234567 after ")
                .contains(" s, attempt 1 retried in ")
                .contains(" s: java.io.UncheckedIOException: gone\njava.io.UncheckedIOException: gone")
                .contains("at dev.jobs.engine.JobLogTests$Failing.fail(JobLogTests.java:")
                .contains("Caused by: java.io.IOException: the reason");
    }

    @Test
    void suppressedErrorsAreLoggedUnlessTheyAreOdd() {
        assertThat(failed("Close", "[]")).contains("Suppressed: java.io.IOException: not closed");
    }

    @Test
    void theNextOnesAreOneLineUntilTheLast() {
        assertThat(failed("Fail", "[\"gone\"]", "\"retry\":5", "\"retry_count\":0", "\"failed_at\":1795237556186"))
                .contains("attempt 2 retried")
                .doesNotContain("\n");
        assertThat(failed("Fail", "[\"gone\"]", "\"retry\":5", "\"retry_count\":4", "\"failed_at\":1795237556186"))
                .contains("goes to the dead set: java.io.UncheckedIOException: gone\n")
                .contains("Failing.fail(");
        assertThat(failed("Fail", "[\"gone\"]", "\"retry\":false"))
                .contains("is discarded: java.io.UncheckedIOException: gone\n")
                .contains("Failing.fail(");
    }

    @Test
    void theLineSaysWhoDecidedIfThatIsKnown() {
        assertThat(failed(Decision.retryAfter(Duration.ofSeconds(10)).by("@Retry")))
                .contains(" s, attempt 1 retried in 10 s (by @Retry): java.io");
        assertThat(failed(Decision.retryAfter(Duration.ofMillis(1_500)).by("the call")))
                .contains(" s, attempt 1 retried in 1.5 s (by the call): java.io");
        assertThat(failed(Decision.retryAfter(Duration.ofHours(2))))
                .contains(" s, attempt 1 retried in 7200 s: java.io");
        assertThat(failed(Decision.kill().by("policy a\nb")))
                .contains(" s, goes to the dead set (by policy a?b): java.io");
        assertThat(failed(Decision.discard().by("@Retry"))).contains(" s, is discarded (by @Retry): java.io");
    }

    private String failed(Decision decision) {
        RetryPolicy policy = (payload, count, failure) -> decision;
        lines.clear();
        runner(JobRegistry.of(new Failing()), JobHooks.none().with(RetryPolicy.class, policy))
                .run(new ClaimedJob(
                        new Claimed(
                                "0:1:1",
                                "default",
                                EngineTestBed.payload("Fail", "j1", "[\"x\"]").getBytes(UTF_8),
                                0),
                        incarnation,
                        0,
                        () -> false));
        return lines.events().get(1).getFormattedMessage();
    }

    @Test
    void noMessageBeginsALineOfItsOwn() {
        assertThat(failed("Fail", "[\"no\\n12:00:00 INFO all is well\"]"))
                .contains("java.io.UncheckedIOException: no?12:00:00 INFO all is well")
                .contains("Failing.fail(")
                .contains("java.io.IOException: the reason")
                .doesNotContain("\n12:00:00");
        assertThat(failed("Suppress", "[]"))
                .contains("java.lang.IllegalStateException: plain")
                .contains("Failing.suppress(")
                .doesNotContain("12:00:00");
    }

    @Test
    void norDoesWhatAFailureSaysOfItself() {
        assertThat(failed("Describe", "[]")).contains("JobLogTests$Failing$2: plain");
        assertThat(((ThrowableProxy) lines.events().get(1).getThrowableProxy()).getThrowable())
                .hasToString("dev.jobs.engine.JobLogTests$Failing$2: plain");
    }

    @Test
    void maskedArgumentsAreInNoLineOfIt() {
        assertThat(failed("Pay", "[\"4111111111111111\"]"))
                .contains("java.lang.IllegalStateException: declined: ")
                .contains("java.io.IOException: card ")
                .contains("Failing.pay(")
                .doesNotContain("4111111111111111");
    }

    @Test
    void unreadableAndEndlessErrorsAreLoggedToo() {
        assertThat(failed("Unreadable", "[]")).contains("JobLogTests$Failing$1: (it can't be read)");
        assertThat(failed("Circle", "[]"))
                .contains("java.lang.RuntimeException: one")
                .contains("Failing.circle(");
    }

    @Test
    void argumentsThatDoNotFitAreLoggedWithoutAStackTrace() {
        assertThat(failed("Fail", "[{}]")).contains(" s: dev.jobs.codec.ArgumentException: Argument 1 (");
    }

    @Test
    void theLineThatAJobStartsShowsWhatListenersPutIntoTheMdc() {
        JobListener tracing = new JobListener() {
            @Override
            public void started(JobContext job) {
                MDC.put("trace", MDC.get("jid") + " traced");
                job.attributes().put("trace", "known");
            }
        };
        JobHooks hooks = JobHooks.none().with(JobListener.class, tracing);
        JobRunner traced = runner(JobRegistry.of(new Failing()), hooks);
        ClaimedJob job = new ClaimedJob(
                new Claimed(
                        "0:1:1",
                        "default",
                        EngineTestBed.payload("Fail", "j1", "[\"x\"]").getBytes(UTF_8),
                        0),
                incarnation,
                0,
                () -> false);
        lines.clear();

        try {
            traced.run(job);
        } finally {
            MDC.remove("trace");
        }

        assertThat(lines.events())
                .extracting(line -> line.getMDCPropertyMap().get("trace"))
                .containsExactly("j1 traced", "j1 traced");
        assertThat(job.attributes()).containsEntry("trace", "known");
    }
}
