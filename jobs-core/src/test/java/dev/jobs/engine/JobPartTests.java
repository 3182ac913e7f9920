package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims.Claimed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When and in what order features take part in the run of a job. */
class JobPartTests {

    private static final Outcome NOT_RUN = EarlyOutcome.Ended.notRun(Ending.SKIPPED, ", by a part", null);

    private final List<String> calls = new ArrayList<>();
    private final Recording outer = new Recording("outer");
    private final Recording inner = new Recording("inner");
    private final EngineEnvironment environment = EngineEnvironment.system();

    /** Takes part in everything. */
    private final class Recording
            implements JobPart.Reads,
                    JobPart.Begins,
                    JobPart.Around,
                    JobPart.Returns,
                    JobPart.Succeeds,
                    JobPart.Throws,
                    JobPart.Repeats,
                    JobPart.Counts,
                    JobPart.Context {

        private final String name;
        private @Nullable Outcome before;
        private @Nullable Outcome instead;
        private @Nullable Outcome ofThrown;

        Recording(String name) {
            this.name = name;
        }

        private void called(String moment) {
            calls.add(moment + " " + name);
        }

        @Override
        public void read(ClaimedJob job) {
            called("read");
            job.attach(name);
        }

        @Override
        public @Nullable Outcome before(ClaimedJob job, @Nullable JobDefinition definition) {
            called("before");
            return before;
        }

        @Override
        public @Nullable Outcome enter(ClaimedJob job, JobDefinition definition) {
            called("enter");
            return instead;
        }

        @Override
        public void leave(ClaimedJob job) {
            called("leave");
        }

        @Override
        public void decided(ClaimedJob job) {
            called("decided");
        }

        @Override
        public boolean returned(ClaimedJob job, JobDefinition definition, @Nullable Object value) {
            called("returned " + value);
            return false;
        }

        @Override
        public List<Effect> done(ClaimedJob job, JobDefinition definition) {
            called("done");
            return List.of(Effect.unlink(name.getBytes(UTF_8)));
        }

        @Override
        public @Nullable Outcome thrown(ClaimedJob job, Throwable thrown, JobPart.Fails fails) {
            called("thrown");
            return ofThrown;
        }

        @Override
        public @Nullable Outcome insteadOfAgain(ClaimedJob job) {
            called("again");
            return null;
        }

        @Override
        public void executed(ClaimedJob job, boolean failed, long nanos, long waitedMillis) {
            called(failed ? "failed" : "succeeded");
        }

        @Override
        public void message(ClaimedJob job, String message) {
            called(message);
        }
    }

    /** Needs no moment. */
    private static final class Idle implements JobPart {}

    static final class Jobs {

        @Job("Tell")
        int tell(String what, JobContext job) {
            job.message(what);
            if (what.equals("fail")) {
                throw new IllegalStateException(what);
            }
            return 42;
        }
    }

    private ClaimedJob claimed(String argument) {
        byte[] payload =
                EngineTestBed.payload("Tell", "j1", "[\"" + argument + "\"]").getBytes(UTF_8);
        ClaimedJob job = new ClaimedJob(
                new Claimed("0:1:1", "default", payload, 0),
                new Incarnation("me", new Timing(Duration.ofSeconds(20)), environment.nanoTime()),
                0,
                () -> false);
        job.begin(0);
        return job;
    }

    private Outcome run(ClaimedJob job) {
        JobHooks hooks = JobHooks.none();
        return new JobRunner(
                        JobRegistry.of(new Jobs()),
                        hooks,
                        new FailureHandling(
                                hooks,
                                25,
                                PayloadTimes.MILLISECONDS,
                                environment.clock(),
                                environment.random(),
                                RunParts.notes()),
                        environment,
                        List.of(outer, new Idle(), inner))
                .run(job);
    }

    @Test
    void theFirstPartSurroundsTheOthers() {
        assertThat(run(claimed("hello"))).isInstanceOf(Outcome.Done.class);

        assertThat(calls)
                .containsExactly(
                        "read outer",
                        "read inner",
                        "before outer",
                        "before inner",
                        "enter outer",
                        "enter inner",
                        "hello outer",
                        "hello inner",
                        "returned 42 inner",
                        "returned 42 outer",
                        "leave inner",
                        "leave outer",
                        "done inner",
                        "done outer",
                        "decided inner",
                        "decided outer",
                        "succeeded inner",
                        "succeeded outer");
    }

    @Test
    void theEffectsOfAllGoWithTheEnd() {
        ClaimedJob job = claimed("hello");

        assertThat(run(job).settlement(job).effects())
                .extracting(effect -> new String(effect.keys().get(0), UTF_8))
                .containsExactly("inner", "outer");
    }

    @Test
    void aPartKeepsAJobFromBeginning() {
        outer.before = NOT_RUN;

        assertThat(run(claimed("hello"))).isSameAs(NOT_RUN);
        assertThat(calls).containsExactly("read outer", "read inner", "before outer");
    }

    @Test
    void whatWasEnteredIsLeftIfAPartKeepsTheCodeFromRunning() {
        outer.instead = NOT_RUN;

        assertThat(run(claimed("hello"))).isSameAs(NOT_RUN);
        assertThat(calls).endsWith("before inner", "enter outer", "leave outer", "decided outer");
    }

    @Test
    void theInnermostPartIsTheFirstToSayWhatAFailureMeans() {
        inner.ofThrown = NOT_RUN;
        outer.ofThrown = new Outcome.Done(List.of());

        assertThat(run(claimed("fail"))).isSameAs(NOT_RUN);
        assertThat(calls)
                .endsWith("fail inner", "leave inner", "leave outer", "thrown inner", "decided inner", "decided outer");
    }

    @Test
    void aFailureThatMeansNothingToThemIsRetried() {
        assertThat(run(claimed("fail"))).isInstanceOf(FailedOutcome.Retried.class);
        assertThat(calls)
                .endsWith(
                        "thrown inner",
                        "thrown outer",
                        "again inner",
                        "again outer",
                        "decided inner",
                        "decided outer",
                        "failed inner",
                        "failed outer");
    }

    @Test
    void aRefusalThatNoPartKnowsIsAFaultOfTheEngine() {
        ClaimedJob job = claimed("hello");
        job.attach(new JobPart.Refusal(Ending.EXPIRED));

        assertThatThrownBy(() -> run(job))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("EXPIRED");
    }

    @Test
    void eachPartFindsWhatItAttached() {
        ClaimedJob job = claimed("hello");
        assertThat(job.part(Integer.class, () -> 1)).isEqualTo(1);
        assertThat(job.part(Integer.class, () -> 2)).isEqualTo(1);
        run(job);

        assertThat(job.part(String.class)).isEqualTo("outer");
        assertThat(job.part(Integer.class)).isEqualTo(1);
        assertThat(job.part(Long.class)).isNull();
    }
}
