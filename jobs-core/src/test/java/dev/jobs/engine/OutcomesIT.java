package dev.jobs.engine;

import static dev.jobs.engine.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.Backtrace;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Every row of the protocol's table of outcomes: what is left in Redis, what is counted, and who hears of it. */
@Tag("sidekiq-10")
class OutcomesIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private EngineTestBed bed;

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
        bed.random(new java.util.Random(1));
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
        bed.close();
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
        bed.stopEngines(); // by now all have heard of it
    }

    private void counted(int processed, int failed) {
        assertThat(bed.processed()).isEqualTo(processed);
        assertThat(bed.failed()).isEqualTo(failed);
    }

    @Test
    void row1_success_leaves_nothing() {
        run(payload("Fine", "j1", "[]", "\"retry\":true"));
        counted(1, 0);
        assertThat(redis.texts().keys("*")).doesNotContain("retry", "dead", "queue:default");
        assertThat(bed.errors).isEmpty();
        assertThat(bed.deaths).isEmpty();
    }

    @Test
    @Tag("sidekiq-21")
    void row1_a_middleware_that_does_not_call_on_means_done() {
        bed.middleware.add((job, next) -> {});
        run(payload("Boom", "j1", "[1]", "\"retry\":true"));
        counted(1, 0);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
    }

    @Test
    @Tag("sidekiq-0.1")
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-20.2")
    void row2_a_failure_with_retries_left_goes_to_the_retry_set() {
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
                        "retry_count");
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
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-12")
    void row3_an_exhausted_job_goes_to_the_dead_set() {
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
    void row3_retry_0_dies_at_the_first_failure() {
        run(payload("Boom", "j1", "[1]", "\"retry\":0"));
        counted(1, 1);
        assertThat(bed.only("dead").get("retry_count")).isEqualTo(0L);
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-11.6")
    void row4_an_exhausted_job_with_dead_false_is_dropped() {
        run(payload("Boom", "j1", "[1]", "\"retry\":0", "\"dead\":false"));
        counted(1, 1);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
        assertThat(bed.deaths).hasSize(1);
        assertThat(bed.deaths.get(0).payload().integer("discarded_at")).isNotNull();
    }

    @Test
    @Tag("sidekiq-11.3")
    void row5_a_policy_may_discard() {
        bed.policies.add((payload, count, failure) -> Decision.discard());
        run(payload("Boom", "j1", "[1]", "\"retry\":true"));
        counted(1, 1);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
        assertThat(bed.deaths).hasSize(1);
        assertThat(bed.deaths.get(0).payload().has("discarded_at")).isTrue();
    }

    @Test
    @Tag("sidekiq-11.3")
    void row6_a_policy_may_kill() {
        bed.policies.add((payload, count, failure) -> Decision.kill());
        run(payload("Boom", "j1", "[1]", "\"retry\":true"));
        counted(1, 1);
        assertThat(bed.only("dead").get("error_message")).isEqualTo("boom 1");
        assertThat(bed.deaths).hasSize(1);
    }

    @Test
    @Tag("sidekiq-0.5")
    void row7_retry_false_drops_without_error_fields() {
        run(payload("Boom", "j1", "[1]", "\"retry\":false"));
        counted(1, 1);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
        assertThat(bed.deaths).hasSize(1);
        assertThat(bed.deaths.get(0).payload().has("error_message")).isFalse();
        assertThat(bed.errors).hasSize(1);
    }

    @Test
    void row8_an_unknown_job_is_retried_as_any_failure() {
        run(payload("Nobody", "j1", "[1]", "\"retry\":true"));
        counted(1, 1);
        assertThat(bed.only("retry").text("error_message")).contains("Nobody").contains("j1");
        assertThat(bed.errors).hasSize(1);
    }

    @Test
    void row8_an_unknown_job_dies_when_its_retries_are_used_up() {
        run(payload("Nobody", "j1", "[1]", "\"retry\":0"));
        counted(1, 1);
        assertThat(bed.only("dead").jid()).isEqualTo("j1");
        assertThat(bed.deaths).hasSize(1);
    }

    @Test
    @Tag("sidekiq-0.4")
    @Tag("sidekiq-31")
    void row9_an_unknown_job_without_a_retry_option_is_kept_where_ruby_drops_it() {
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
    void row10_what_is_no_json_goes_to_the_dead_set_as_it_is(String text) {
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
    void row11_json_that_is_no_object_goes_to_the_dead_set_where_ruby_loses_it(String text) {
        run(text);
        counted(0, 0);
        assertThat(redis.texts().zrange("dead", 0, -1)).containsExactly(text);
        assertThat(bed.errors).hasSize(1);
    }

    @Test
    @Tag("sidekiq-0.6")
    void row13_a_job_that_stops_itself_goes_to_the_back_of_its_queue() {
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
    void row14_when_redis_is_away_the_outcome_is_settled_when_it_answers_again() {
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
    void arguments_that_do_not_fit_are_a_failure_that_names_job_and_parameter(String arguments) {
        run(payload("Typed", "j1", arguments, "\"retry\":true"));
        if (arguments.equals("[\"x\"]")) {
            counted(1, 0); // a missing trailing argument is the type's zero
            return;
        }
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
    void an_object_that_can_be_no_job_goes_to_the_dead_set_with_the_reason(String text) {
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
    void nesting_of_a_hundred_levels_goes_to_the_dead_set_as_ruby_does_it() {
        String deep = "[".repeat(100) + "]".repeat(100);
        run(payload("Fine", "j1", deep));
        counted(0, 0);
        assertThat(redis.texts().zcard("dead")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"overflow", "error", "linkage", "interrupted", "message", "long", "surrogate", "bare"})
    @Tag("sidekiq-11.1")
    void every_throwable_is_an_ordinary_failure_and_the_next_job_runs(String what) {
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
    void an_out_of_memory_error_ends_the_process() {
        AtomicInteger ended = new AtomicInteger();
        bed.environment = new EngineEnvironment(
                bed.environment.clock(),
                bed.environment.nanoTime(),
                bed.environment.random(),
                bed.environment.processorThreads(),
                ended::incrementAndGet);
        bed.middleware.add((job, next) -> {
            throw new OutOfMemoryError("Java heap space");
        });
        run(payload("Fine", "j1", "[]", "\"retry\":true"));
        assertThat(ended).hasValue(1);
    }

    @Test
    @Tag("sidekiq-11.1")
    void a_payload_without_retry_takes_the_jobs_own_option() {
        run(payload("BoomOnce", "j1", "[]"));
        counted(1, 1);
        assertThat(redis.texts().exists("retry", "dead")).isZero();
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-11.5")
    void a_retry_goes_to_its_retry_queue_and_keeps_a_backtrace() {
        run(payload("Boom", "j1", "[1]", "\"retry\":true", "\"retry_queue\":\"low\"", "\"backtrace\":2"));
        Payload retry = bed.only("retry");
        assertThat(retry.queue()).isEqualTo("low");
        assertThat(Backtrace.decode(String.valueOf(retry.text("error_backtrace"))))
                .hasSize(2);
    }

    @Test
    @Tag("sidekiq-11.3")
    @Tag("sidekiq-23")
    void handlers_that_throw_change_nothing() {
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
    void what_ruby_reads_runs_here_too(String stored) {
        run(stored);
        counted(1, 0);
        assertThat(bed.errors).isEmpty();
    }

    @Test
    @Tag("sidekiq-0.10")
    @Tag("sidekiq-3")
    void a_number_of_any_size_does_not_keep_a_job_from_running_or_from_its_retry() {
        String digits = "7".repeat(5_000);
        run(payload("Boom", "j1", "[1]", "\"retry\":true", "\"x\":" + digits));
        counted(1, 1);
        assertThat(bed.only("retry").raw("x")).asString().isEqualTo(digits);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"verbose\"", "\"\"", "7.5", "{}"})
    @Tag("sidekiq-4")
    @Tag("sidekiq-31")
    void a_log_level_that_nobody_knows_is_ignored_where_ruby_loses_the_job(String level) {
        run(payload("Fine", "j1", "[]", "\"retry\":true", "\"log_level\":" + level));
        counted(1, 0);
        assertThat(jobs.runs).hasValue(1);
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-28")
    void a_job_of_a_ruby_batch_runs_and_the_log_says_once_that_the_batch_does_not_hear_of_it() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(JobRunner.class);
        logger.addAppender(lines);
        try {
            bed.push("default", payload("Fine", "j1", "[]", "\"bid\":\"Zm9vYmFy-1\""));
            bed.push("default", payload("Fine", "j2", "[]", "\"bid\":\"Zm9vYmFy-1\""));
            run(payload("Fine", "j3", "[]", "\"bid\":null"));
        } finally {
            logger.detachAppender(lines);
        }
        counted(3, 0);
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).contains("Fine").contains("batch");
        });
    }
}
