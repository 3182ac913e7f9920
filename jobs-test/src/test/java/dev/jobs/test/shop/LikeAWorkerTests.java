package dev.jobs.test.shop;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.EnqueueCall;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener;
import dev.jobs.JobResult.State;
import dev.jobs.Payload;
import dev.jobs.deaths.OnDeath;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.test.JobRunException;
import dev.jobs.test.JobsMode;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestClock;
import dev.jobs.test.TestJobs;
import dev.jobs.test.shop.LikeAWorkerTests.Hooks;
import dev.jobs.test.shop.LikeAWorkerTests.Works;
import dev.jobs.unique.Unique;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.context.i18n.LocaleContextHolder;

/** Without Redis, jobs meet what they would meet on a worker. */
@JobsTest(value = Works.class, mode = JobsMode.INLINE)
@Import({Works.class, Hooks.class})
class LikeAWorkerTests {

    @FunctionalInterface
    interface Body {
        void run(JobContext job) throws Exception;
    }

    static class Works {

        final List<String> done = new ArrayList<>();

        /** What the next executions do; those after them do nothing. */
        final Queue<Body> bodies = new ArrayDeque<>();

        Runnable lastWord = () -> {};

        @Job
        void work(String name, JobContext job) throws Exception {
            Body body = bodies.poll();
            if (body != null) {
                body.run(job);
            }
            done.add(name);
        }

        @OnDeath("work")
        void notWorked(String name) {
            lastWord.run();
        }

        @Job
        @Unique(key = "{0}")
        void workOnce(String name, JobContext job) throws Exception {
            work(name, job);
        }
    }

    static class Hooks implements EnqueueMiddleware, JobListener, JobErrorHandler {

        final List<String> told = new ArrayList<>();
        final List<String> endings = new ArrayList<>();

        /** The name of the job at which the middleware fails, or that it refuses, when it is due. */
        String fails = "";

        String refuses = "";

        void reset() {
            told.clear();
            endings.clear();
            fails = "";
            refuses = "";
        }

        private static String first(Payload payload) {
            return payload.get("args") instanceof List<?> args && !args.isEmpty() ? String.valueOf(args.get(0)) : "";
        }

        @Override
        public @Nullable Payload enqueue(Payload payload, EnqueueMiddleware.Chain next) {
            if (!fails.isEmpty() && fails.equals(first(payload))) {
                throw new IllegalStateException("no tenant");
            }
            return !refuses.isEmpty() && refuses.equals(first(payload)) ? null : next.proceed(payload);
        }

        @Override
        public EnqueueCall begin(@Nullable String batch) {
            return new EnqueueCall() {
                @Override
                public Payload add(Payload draft) {
                    return draft.with("caller", "test");
                }
            };
        }

        @Override
        public void enqueued(String name, String queue, int count, boolean scheduled) {
            told.add("enqueued " + count);
        }

        @Override
        public void duplicates(String name, String queue, int count, String holder) {
            told.add("duplicates " + count);
        }

        @Override
        public void promoted(String name, String queue, Duration lateness) {
            told.add("promoted after " + lateness);
        }

        @Override
        public void failed(Throwable error, String context, @Nullable Payload payload) {
            told.add("error " + error.getMessage());
        }

        @Override
        public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
            endings.add(first(job.payload()) + " " + ending);
        }
    }

    @Autowired
    private JobClient client;

    @Autowired
    private TestJobs jobs;

    @Autowired
    private TestClock clock;

    @Autowired
    private RecurringJobs recurring;

    @Autowired
    private Works works;

    @Autowired
    private Hooks hooks;

    @BeforeEach
    @AfterEach
    void reset() {
        works.done.clear();
        works.bodies.clear();
        works.lastWord = () -> {};
        hooks.reset();
        MDC.clear();
        LocaleContextHolder.resetLocaleContext();
    }

    private static void fail(JobContext job) {
        throw new IllegalStateException("out of order");
    }

    private Instant slot(String name, int number) {
        return recurring.next(recurring.find(name).orElseThrow(), number).get(number - 1);
    }

    @Test
    void aLastWordComesAfterTheEndOfTheJob() {
        JobClient unique = client.unique("bob").keepResult(Duration.ofHours(1)).retry(Job.NONE);
        List<Object> seen = new ArrayList<>();
        works.bodies.add(LikeAWorkerTests::fail);
        works.lastWord = () -> {
            String first = jobs.enqueued().get(0).jid();
            seen.add(client.result(first, Void.class).state());
            seen.add(unique.enqueue(Works::work, "again") != null);
        };

        assertThatThrownBy(() -> unique.enqueue(Works::work, "bob")).isInstanceOf(JobRunException.class);

        assertThat(seen).containsExactly(State.DISCARDED, true);
        assertThat(works.done).containsExactly("again");
    }

    @Test
    void theNextCallDoesNotReplaceADebouncedJobThatWaitsForItsRetry() {
        JobClient debounced = client.debounce("bob", Duration.ofSeconds(10), Duration.ofSeconds(25));
        works.bodies.add(LikeAWorkerTests::fail);
        debounced.enqueue(Works::work, "first");
        clock.advance(Duration.ofSeconds(10));

        debounced.enqueue(Works::work, "second");
        clock.advance(Duration.ofMinutes(5));

        assertThat(works.done).containsExactlyInAnyOrder("first", "second");
    }

    @Test
    void aReplacedJobThatWaitsForItsRetryEndsAsReplaced() {
        JobClient latest = client.unique("bob").with("unique_conflict", "replace");
        works.bodies.add(LikeAWorkerTests::fail);
        assertThatThrownBy(() -> latest.enqueue(Works::work, "first")).isInstanceOf(JobRunException.class);

        latest.enqueue(Works::work, "second");
        clock.advance(Duration.ofMinutes(5));

        assertThat(hooks.endings).containsExactly("first RETRIED", "second DONE", "first REPLACED");
    }

    @Test
    void theTimeOfAJobThatWaitsForALockBeginsWhenTheLockEnds() {
        JobClient throttled = client.expiresIn(Duration.ofMinutes(10)).throttleKeepingLast("bob", Duration.ofHours(1));
        throttled.enqueue(Works::work, "first");
        throttled.enqueue(Works::work, "second");

        clock.advance(Duration.ofHours(1));

        assertThat(works.done).containsExactly("first", "second");
    }

    @Test
    void aJobThatInterruptsItselfRunsAgainAtOnce() {
        works.bodies.add(job -> {
            throw new JobInterruptedException("later");
        });

        client.enqueue(Works::work, "bob");

        assertThat(hooks.endings).containsExactly("bob INTERRUPTED", "bob DONE");
    }

    @Test
    void aFailureDoesNotHideThatJobsWereStoredAndThatOthersAreDuplicates() {
        works.bodies.add(LikeAWorkerTests::fail);

        assertThatThrownBy(() -> client.enqueueAll("Works.workOnce", List.of(List.of("bob"), List.of("bob"))))
                .isInstanceOf(JobRunException.class);

        assertThat(jobs).hasSize(1);
        assertThat(hooks.told).containsSubsequence("duplicates 1", "enqueued 1");
    }

    @Test
    void aResultIsKeptForItsTime() {
        String jid = client.keepResult(Duration.ofHours(1)).enqueue(Works::work, "bob");
        clock.advance(Duration.ofMinutes(59));
        assertThat(client.result(jid, Void.class).state()).isEqualTo(State.SUCCEEDED);

        clock.advance(Duration.ofMinutes(1));

        assertThat(client.result(jid, Void.class).state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void aDueJobThatAMiddlewareRefusesIsDeleted() {
        String jid =
                client.keepResult(Duration.ofDays(1)).in(Duration.ofHours(1)).enqueue(Works::work, "bob");
        hooks.refuses = "bob";

        clock.advance(Duration.ofHours(1));

        assertThat(client.result(jid, Void.class).state()).isEqualTo(State.DELETED);
        assertThat(client.result(jid, Void.class).message())
                .isEqualTo("An enqueue middleware refused it when it was due");
    }

    @Test
    void aMiddlewareThatFailsForADueJobPostponesThatJobAlone() {
        client.in(Duration.ofHours(1)).enqueue(Works::work, "bob");
        client.in(Duration.ofHours(1)).enqueue(Works::work, "eve");
        hooks.fails = "bob";

        clock.advance(Duration.ofHours(1));
        assertThat(works.done).containsExactly("eve");
        assertThat(hooks.told).contains("error no tenant");
        hooks.fails = "";
        clock.advance(Duration.ofSeconds(14));
        assertThat(works.done).containsExactly("eve");
        clock.advance(Duration.ofSeconds(1));

        assertThat(works.done).containsExactly("eve", "bob");
    }

    @Test
    void aMiddlewareThatFailsForASlotPostponesIt() {
        recurring.save("hourly", Recurrence.every(Duration.ofHours(1)), JobCall.of(Works::work, "bob"));
        recurring.save("other", Recurrence.every(Duration.ofHours(1)), JobCall.of(Works::work, "eve"));
        hooks.fails = "bob";

        clock.advanceTo(slot("hourly", 1));
        assertThat(works.done).containsExactly("eve");
        hooks.fails = "";
        clock.advance(Duration.ofSeconds(15));

        assertThat(works.done).containsExactly("eve", "bob");
    }

    @Test
    void aMiddlewareThatFailsForASlotThatWaitedPostponesIt() {
        Recurrence often = Recurrence.every(Duration.ofMinutes(1)).overlap(Overlap.QUEUE);
        recurring.save("often", often, JobCall.of(Works::work, "bob"));
        clock.advanceTo(slot("often", 2).minusSeconds(5));
        works.done.clear();
        works.bodies.add(LikeAWorkerTests::fail);
        works.bodies.add(job -> hooks.fails = "bob");
        assertThatThrownBy(() -> recurring.runNow("often")).isInstanceOf(JobRunException.class);

        clock.advance(Duration.ofSeconds(26));
        assertThat(works.done).containsExactly("bob");
        assertThat(hooks.told).contains("error no tenant");
        hooks.fails = "";
        clock.advance(Duration.ofSeconds(15));

        assertThat(works.done).containsExactly("bob", "bob");
    }

    @Test
    void listenersHearOfDueJobs() {
        client.in(Duration.ofHours(1)).enqueue(Works::work, "bob");

        clock.outage(Duration.ofHours(2));

        assertThat(hooks.told).containsExactly("enqueued 1", "promoted after PT1H");
    }

    @Test
    void whatAJobCancelsIsCancelledWhileItRuns() {
        works.bodies.add(job -> {
            client.cancel(job.jid());
            fail(job);
        });

        client.enqueue(Works::work, "bob");

        assertThat(hooks.endings).containsExactly("bob CANCELLED");
    }

    @Test
    void aRecurringJobTakesNothingAlong() {
        recurring.save("hourly", Recurrence.every(Duration.ofHours(1)), JobCall.of(Works::work, "bob"));

        recurring.runNow("hourly");
        clock.advance(Duration.ofHours(1));

        assertThat(jobs.enqueued())
                .hasSize(2)
                .allSatisfy(job -> assertThat(job.payload().has("caller")).isFalse());
    }

    @Test
    void aSlotThatOverlapsIsNoDuplicate() {
        recurring.save(
                "hourly", Recurrence.every(Duration.ofHours(1)).overlap(Overlap.SKIP), JobCall.of(Works::work, "bob"));
        works.bodies.add(LikeAWorkerTests::fail);
        assertThatThrownBy(() -> recurring.runNow("hourly")).isInstanceOf(JobRunException.class);

        assertThat(recurring.runNow("hourly")).isNull();
        assertThat(hooks.told).doesNotContain("duplicates 1");
        assertThat(recurring.history("hourly")).hasSize(1);
    }

    @Test
    void aJobFindsNothingOfTheThreadThatEnqueuesIt() {
        List<@Nullable Object> seen = new ArrayList<>();
        works.bodies.add(job -> {
            seen.add(MDC.get("user"));
            seen.add(LocaleContextHolder.getLocaleContext());
        });
        MDC.put("user", "ann");
        LocaleContextHolder.setLocale(Locale.FRANCE);

        client.enqueue(Works::work, "bob");

        assertThat(seen).containsOnlyNulls();
        assertThat(MDC.get("user")).isEqualTo("ann");
        assertThat(LocaleContextHolder.getLocale()).isEqualTo(Locale.FRANCE);
    }
}
