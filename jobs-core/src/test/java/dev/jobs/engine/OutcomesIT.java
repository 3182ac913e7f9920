package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener.Ending;
import dev.jobs.PastAttempt;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.Backtrace;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every row of the protocol's table of outcomes: what is left in Redis, what is counted, and who is notified. */
@Tag("sidekiq-10")
class OutcomesIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @BeforeEach
    void empty() {
        bed.random(new java.util.Random(1));
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
    }

    static final class Jobs {
        final AtomicInteger runs = new AtomicInteger();

        @Job("Fine")
        void fine() {
            runs.incrementAndGet();
        }

        @Job("Boom")
        void boom(int n) {
            throw new IllegalStateException("boom " + n);
        }

        @Job(value = "BoomOnce", retry = Job.NONE)
        void unsaid() {
            throw new IllegalStateException("dropped");
        }

        @Job("Typed")
        void typed(String text, int number) {}

        @Job("Interrupts")
        void interrupts(JobContext job) {
            if (runs.incrementAndGet() == 1) {
                throw new JobInterruptedException("half way");
            }
        }

        @Job("Throws")
        void anything(String what) throws Throwable {
            switch (what) {
                case "overflow" -> anything(what);
                case "error" -> throw new AssertionError("an error");
                case "linkage" -> throw new NoClassDefFoundError("gone");
                case "interrupted" -> throw new InterruptedException("by itself");
                case "message" ->
                    throw new RuntimeException() {
                        @Override
                        public String getMessage() {
                            throw new IllegalStateException("not even a message");
                        }
                    };
                case "long" -> throw new RuntimeException("é".repeat(20_000));
                case "surrogate" -> throw new RuntimeException("half \ud83d a pair");
                default -> throw new Throwable("bare");
            }
        }
    }

    private final Jobs jobs = new Jobs();

    private void run(String payload) {
        bed.push("default", payload);
        bed.start(jobs);
        bed.awaitDrained("default");
        bed.stopEngines(); // by then all hooks have been called
    }

    private void counted(int processed, int failed) {
        assertThat(bed.processed()).isEqualTo(processed);
        assertThat(bed.failed()).isEqualTo(failed);
    }

    @Test
    void row1SuccessLeavesNothing() {
        run(payload("Fine", "j1", "[]", "\"retry\":true"));
        counted(1, 0);
        assertThat(redis.texts().keys("*")).doesNotContain("retry", "dead", "queue:default");
        assertThat(bed.errors).isEmpty();
        assertThat(bed.deaths).isEmpty();
    }

    @Test
    @Tag("sidekiq-21")
    void row1AMiddlewareThatDoesNotCallOnMeansDone() {
        bed.middleware.add((job, next) -> {});
        run(payload("Boom", "j1", "[1]", "\"retry\":true"));
        counted(1, 0);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
    }

    @Test
    @Tag("sidekiq-0.1")
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-20.2")
    void row2AFailureWithRetriesLeftGoesToTheRetrySet() {
        run(payload(
                "Boom",
                "j1",
                "[1]",
                "\"retry\":true",
                "\"queue\":\"default\"",
                "\"created_at\":1700000000000",
                "\"enqueued_at\":1700000000000"));
        counted(1, 1);
        Payload retry = bed.only("retry");
        assertThat(retry.names())
                .containsExactly(
                        "class",
                        "args",
                        "jid",
                        "retry",
                        "queue",
                        "created_at",
                        "enqueued_at",
                        "error_message",
                        "error_class",
                        "failed_at",
                        "retry_count",
                        "past_attempts");
        assertThat(retry.get("error_message")).isEqualTo("boom 1");
        assertThat(retry.get("error_class")).isEqualTo("java.lang.IllegalStateException");
        assertThat(retry.get("retry_count")).isEqualTo(0L);
        assertThat(retry.integer("failed_at")).isCloseTo(System.currentTimeMillis(), within(60_000L));
        double due =
                redis.texts().zrangeWithScores("retry", 0, 0).get(0).getScore() - System.currentTimeMillis() / 1000.0;
        assertThat(due).isBetween(5.0, 25.0);
        assertThat(bed.errors).hasSize(1);
        assertThat(bed.deaths).isEmpty();
    }

    @Test
    void aFailedJobRemembersItsAttemptsUntilItDies() {
        run(payload("Boom", "j1", "[1]", "\"retry\":1", "\"enqueued_at\":1700000000000"));
        Payload retry = bed.only("retry");
        PastAttempt first = PastAttempt.of(retry).get(0);
        assertThat(first.at().toEpochMilli()).isCloseTo(System.currentTimeMillis(), within(60_000L));
        assertThat(first.waited()).isGreaterThan(Duration.ofDays(700));
        assertThat(first.process()).isNotEmpty();
        assertThat(first.error()).isEqualTo("java.lang.IllegalStateException");
        assertThat(first.message()).isEqualTo("boom 1");
        redis.texts().del("retry");

        run(new String(retry.bytes(), UTF_8));

        assertThat(PastAttempt.of(bed.only("dead"))).hasSize(2).startsWith(first);
        assertThat(PastAttempt.of(bed.deaths.get(0).payload())).hasSize(2);
    }

    @Test
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-12")
    void row3AnExhaustedJobGoesToTheDeadSet() {
        run(payload(
                "Boom",
                "j1",
                "[1]",
                "\"retry\":1",
                "\"queue\":\"default\"",
                "\"retry_count\":0",
                "\"failed_at\":1700000000000"));
        counted(1, 1);
        Payload dead = bed.only("dead");
        assertThat(dead.get("retry_count")).isEqualTo(1L);
        assertThat(dead.integer("retried_at")).isNotNull();
        assertThat(dead.get("failed_at")).isEqualTo(1700000000000L);
        assertThat(bed.errors).hasSize(1);
        assertThat(bed.deaths).hasSize(1);
        assertThat(bed.deaths.get(0).failure()).hasMessage("boom 1");
    }

    @Test
    @Tag("sidekiq-0.5")
    @Tag("sidekiq-0.11")
    void row3Retry0DiesAtTheFirstFailure() {
        run(payload("Boom", "j1", "[1]", "\"retry\":0"));
        counted(1, 1);
        assertThat(bed.only("dead").get("retry_count")).isEqualTo(0L);
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-11.6")
    void row4AnExhaustedJobWithDeadFalseIsDropped() {
        run(payload("Boom", "j1", "[1]", "\"retry\":0", "\"dead\":false"));
        counted(1, 1);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
        assertThat(bed.deaths).hasSize(1);
        assertThat(bed.deaths.get(0).payload().integer("discarded_at")).isNotNull();
    }

    @Test
    @Tag("sidekiq-11.3")
    void row5APolicyMayDiscard() {
        bed.policies.add((payload, count, failure) -> Decision.discard());
        run(payload("Boom", "j1", "[1]", "\"retry\":true"));
        counted(1, 1);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
        assertThat(bed.deaths).hasSize(1);
        assertThat(bed.deaths.get(0).payload().has("discarded_at")).isTrue();
    }

    @Test
    @Tag("sidekiq-11.3")
    void row6APolicyMayKill() {
        bed.policies.add((payload, count, failure) -> Decision.kill());
        run(payload("Boom", "j1", "[1]", "\"retry\":true"));
        counted(1, 1);
        assertThat(bed.only("dead").get("error_message")).isEqualTo("boom 1");
        assertThat(bed.deaths).hasSize(1);
    }

    @Test
    @Tag("sidekiq-0.5")
    void row7RetryFalseDropsWithoutErrorFields() {
        run(payload("Boom", "j1", "[1]", "\"retry\":false"));
        counted(1, 1);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
        assertThat(bed.deaths).hasSize(1);
        assertThat(bed.deaths.get(0).payload().has("error_message")).isFalse();
        assertThat(bed.errors).hasSize(1);
    }

    @Test
    void row8AnUnknownJobIsRetriedAsAnyFailure() {
        run(payload("Nobody", "j1", "[1]", "\"retry\":true"));
        counted(1, 1);
        assertThat(bed.only("retry").text("error_message")).contains("Nobody").contains("j1");
        assertThat(bed.errors).hasSize(1);
    }

    @Test
    void row8AnUnknownJobDiesWhenItsRetriesAreUsedUp() {
        run(payload("Nobody", "j1", "[1]", "\"retry\":0"));
        counted(1, 1);
        assertThat(bed.only("dead").jid()).isEqualTo("j1");
        assertThat(bed.deaths).hasSize(1);
    }

    @Test
    @Tag("sidekiq-0.4")
    @Tag("sidekiq-31")
    void row9AnUnknownJobWithoutARetryOptionIsKeptWhereRubyDropsIt() {
        run(payload("Nobody", "j1", "[1]"));
        counted(1, 1);
        assertThat(bed.only("retry").get("retry")).isEqualTo(true);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "not json",
                "{\"class\":\"Fine\"",
                "{\"class\":\"Fine\",\"args\":[]} {}",
                "{'class':1}",
                "{\"a\":NaN}",
                "\u0000",
                "{\"class\":\"Fine\",\"args\":[01]}"
            })
    @Tag("sidekiq-23")
    void row10InvalidJsonGoesToTheDeadSetAsItIs(String text) {
        run(text);
        counted(0, 0);
        assertThat(redis.texts().zrange("dead", 0, -1)).containsExactly(text);
        assertThat(bed.errors).hasSize(1);
        assertThat(bed.errors.get(0).payload()).isNull();
        assertThat(bed.errors.get(0).failure()).isInstanceOf(InvalidPayloadException.class);
        assertThat(bed.deaths).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "\"text\"", "null", "true", "[{\"class\":\"Fine\"}]"})
    @Tag("sidekiq-31")
    void row11JsonThatIsNoObjectGoesToTheDeadSetWhereRubyLosesIt(String text) {
        run(text);
        counted(0, 0);
        assertThat(redis.texts().zrange("dead", 0, -1)).containsExactly(text);
        assertThat(bed.errors).hasSize(1);
    }

    @Test
    @Tag("sidekiq-0.6")
    void row13AJobThatStopsItselfGoesToTheBackOfItsQueue() {
        bed.capsules(CapsuleConfig.of("default", 1, List.of("default")));
        bed.push("default", payload("Interrupts", "j1", "[]", "\"retry\":true", "\"x\":1.0"));
        bed.push("default", payload("Fine", "j2", "[]", "\"retry\":true"));
        bed.start(jobs);
        bed.awaitEnds(3);
        bed.awaitDrained("default");
        assertThat(bed.ends).extracting(EngineTestBed.Ended::jid).containsExactly("j1", "j2", "j1");
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .containsExactly(Ending.INTERRUPTED, Ending.DONE, Ending.DONE);
        counted(3, 1);
        assertThat(bed.errors).isEmpty();
    }

    @Test
    void row14WhenRedisIsAwayTheOutcomeIsSettledWhenItAnswersAgain() {
        bed.middleware.add((job, next) -> {
            redis.texts().clientPause(800);
            next.proceed();
        });
        bed.push("default", payload("Boom", "j1", "[1]", "\"retry\":true"));
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().zcard("retry") == 1);
        bed.awaitDrained("default");
        counted(1, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"x\"]", "[\"x\",\"y\"]", "[\"x\",1,2]", "[\"x\",1.5]", "[\"x\",99999999999]", "[1,{}]"})
    void argumentsThatDoNotFitAreAFailureThatNamesJobAndParameter(String arguments) {
        run(payload("Typed", "j1", arguments, "\"retry\":true"));
        counted(1, 1);
        Payload retry = bed.only("retry");
        assertThat(retry.get("error_class")).isEqualTo(ArgumentException.class.getName());
        assertThat(retry.text("error_message")).contains("Typed").contains("j1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"class\":\"Fine\",\"args\":\"x\",\"jid\":\"j1\"}",
                "{\"class\":\"Fine\",\"args\":{\"a\":1},\"jid\":\"j1\"}",
                "{\"class\":7,\"args\":[],\"jid\":\"j1\"}",
                "{\"args\":[],\"jid\":\"j1\"}"
            })
    @Tag("sidekiq-20.2")
    void anObjectThatCanBeNoJobGoesToTheDeadSetWithTheReason(String text) {
        run(text);
        counted(1, 1);
        Payload dead = bed.only("dead");
        assertThat(dead.jid()).isEqualTo("j1");
        assertThat(dead.text("error_message")).contains("j1");
        assertThat(dead.text("queue")).isEqualTo("default");
        assertThat(bed.errors).hasSize(1);
        assertThat(bed.deaths).hasSize(1);
    }

    @Test
    @Tag("sidekiq-0.9")
    void nestingOfAHundredLevelsGoesToTheDeadSetAsRubyDoesIt() {
        String deep = "[".repeat(100) + "]".repeat(100);
        run(payload("Fine", "j1", deep));
        counted(0, 0);
        assertThat(redis.texts().zcard("dead")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"overflow", "error", "linkage", "interrupted", "message", "long", "surrogate", "bare"})
    @Tag("sidekiq-11.1")
    void everyThrowableIsAnOrdinaryFailureAndTheNextJobRuns(String what) {
        bed.capsules(CapsuleConfig.of("default", 1, List.of("default")));
        bed.push("default", payload("Throws", "j1", "[\"" + what + "\"]", "\"retry\":true"));
        bed.push("default", payload("Fine", "j2", "[]", "\"retry\":true"));
        bed.start(jobs);
        bed.awaitDrained("default");
        counted(2, 1);
        assertThat(jobs.runs).hasValue(1);
        String message = bed.only("retry").text("error_message");
        assertThat(message).hasSizeBetween(1, 10_000);
        if (what.equals("surrogate")) {
            assertThat(message).isEqualTo("half \ufffd a pair");
        }
    }

    @Test
    void anOutOfMemoryErrorEndsTheProcess() {
        AtomicInteger ended = new AtomicInteger();
        bed.environment = new EngineEnvironment(
                bed.environment.clock(),
                bed.environment.nanoTime(),
                bed.environment.random(),
                bed.environment.processorThreads(),
                error -> ended.incrementAndGet());
        bed.middleware.add((job, next) -> {
            throw new OutOfMemoryError("Java heap space");
        });
        run(payload("Fine", "j1", "[]", "\"retry\":true"));
        assertThat(ended).hasValue(1);
    }

    @Test
    @Tag("sidekiq-11.1")
    void aPayloadWithoutRetryTakesTheJobsOwnOption() {
        run(payload("BoomOnce", "j1", "[]"));
        counted(1, 1);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-11.5")
    void aRetryGoesToItsRetryQueueAndKeepsABacktrace() {
        run(payload("Boom", "j1", "[1]", "\"retry\":true", "\"retry_queue\":\"low\"", "\"backtrace\":2"));
        Payload retry = bed.only("retry");
        assertThat(retry.queue()).isEqualTo("low");
        assertThat(Backtrace.decode(String.valueOf(retry.text("error_backtrace"))))
                .hasSize(2);
    }

    @Test
    @Tag("sidekiq-11.3")
    @Tag("sidekiq-23")
    void handlersThatThrowChangeNothing() {
        bed.policies.add((payload, count, failure) -> {
            throw new IllegalStateException("policy");
        });
        run(payload("Boom", "j1", "[1]", "\"retry\":true"));
        counted(1, 1);
        assertThat(redis.texts().zcard("retry")).isEqualTo(1);
        assertThat(bed.errors).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " /* by hand */ {\"class\":\"Typed\", // a job\n \"args\":[\"x\", 1]}\n",
                "{\"class\":\"Typed\",\"args\":[\"x\",-0]}",
                "{\"class\":\"Nobody\",\"args\":[],\"class\":\"Typed\",\"args\":[\"x\",1]} \t\r\n",
                "{\"class\":\"Typed\",\"args\":[\"x\",1],\"x\":[1E+2,-0,1e400,-0.0]}",
                "{\"\\u0063lass\":\"\\u0054yped\",\"args\":[\"\\/\",1]}"
            })
    @Tag("sidekiq-3")
    void jsonThatRubyReadsRunsHereToo(String stored) {
        run(stored);
        counted(1, 0);
        assertThat(bed.errors).isEmpty();
    }

    @Test
    @Tag("sidekiq-0.10")
    @Tag("sidekiq-3")
    void aNumberOfAnySizeDoesNotKeepAJobFromRunningOrFromItsRetry() {
        String digits = "7".repeat(5_000);
        run(payload("Boom", "j1", "[1]", "\"retry\":true", "\"x\":" + digits));
        counted(1, 1);
        assertThat(bed.only("retry").raw("x")).asString().isEqualTo(digits);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"verbose\"", "\"\"", "7.5", "{}"})
    @Tag("sidekiq-4")
    @Tag("sidekiq-31")
    void anUnknownLogLevelIsIgnoredWhereRubyLosesTheJob(String level) {
        run(payload("Fine", "j1", "[]", "\"retry\":true", "\"log_level\":" + level));
        counted(1, 0);
        assertThat(jobs.runs).hasValue(1);
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-28")
    void aJobOfARubyBatchRunsAndTheLogSaysOnceThatTheBatchIsNotNotified() {
        LogLines lines = LogLines.ofPackage("dev.jobs.batches").open();
        try (lines) {
            bed.push("default", payload("Fine", "j1", "[]", "\"bid\":\"Zm9vYmFy-1\""));
            bed.push("default", payload("Fine", "j2", "[]", "\"bid\":\"Zm9vYmFy-1\""));
            run(payload("Fine", "j3", "[]", "\"bid\":null"));
        }
        counted(3, 0);
        assertThat(lines.events()).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).contains("Fine").contains("batch");
        });
    }
}
