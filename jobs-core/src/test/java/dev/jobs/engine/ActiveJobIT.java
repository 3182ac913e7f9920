package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.codec.ArgumentException;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

/** Jobs that a Rails application enqueued through Active Job. */
@Tag("sidekiq-26")
class ActiveJobIT {

    private static final String WRAPPER = "Sidekiq::ActiveJob::Wrapper";
    private static final String OLDER_WRAPPER = "ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Jobs jobs = new Jobs();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    record Call(String name, String mdc, List<Object> arguments, Payload payload) {}

    static class Jobs {
        final List<Call> calls = new CopyOnWriteArrayList<>();

        @Job("ReportJob")
        void report(String order, Duration every, Map<String, Integer> options, JobContext job) {
            calls.add(new Call(job.name(), MDC.get("job"), List.of(order, every, options), job.payload()));
        }

        @Job("FailingJob")
        void failing() {
            throw new IllegalStateException("boom");
        }
    }

    /** Routes jobs by itself. */
    static final class AllJobs extends Jobs {

        @Job(WRAPPER)
        void any(Map<String, Object> envelope, JobContext job) {
            calls.add(new Call(job.name(), MDC.get("job"), List.of(envelope.get("arguments")), job.payload()));
        }
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    private static String envelope(String wrapper, String job, String arguments, String... more) {
        String args = "[{\"job_class\":\"" + job + "\",\"job_id\":\"0d7f9a5e\",\"provider_job_id\":null,"
                + "\"queue_name\":\"default\",\"priority\":null,\"arguments\":" + arguments
                + ",\"executions\":0,\"exception_executions\":{},\"locale\":\"en\",\"timezone\":\"UTC\","
                + "\"enqueued_at\":\"2026-11-21T08:00:00.000000000Z\",\"scheduled_at\":null}]";
        String[] all = new String[more.length + 2];
        all[0] = "\"wrapped\":\"" + job + "\"";
        all[1] = "\"retry\":true,\"queue\":\"default\"";
        System.arraycopy(more, 0, all, 2, more.length);
        return EngineTestBed.payload(wrapper, "j1", args, all);
    }

    private static final String ARGUMENTS = "[{\"_aj_globalid\":\"gid://shop/Order/7\"},"
            + "{\"_aj_serialized\":\"ActiveJob::Serializers::DurationSerializer\",\"value\":3600,\"parts\":[]},"
            + "{\"copies\":2,\"_aj_ruby2_keywords\":[\"copies\"]}]";

    private void run(String payload, Object runners) {
        bed.push("default", payload);
        bed.start(runners);
        bed.awaitDrained("default");
        bed.awaitEnds(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {WRAPPER, OLDER_WRAPPER})
    void theJobInsideRunsWithTheArgumentsInside(String wrapper) {
        String stored = envelope(wrapper, "ReportJob", ARGUMENTS);
        run(stored, jobs);
        assertThat(jobs.calls).singleElement().satisfies(call -> {
            assertThat(call.name()).isEqualTo("ReportJob");
            assertThat(call.mdc()).isEqualTo("ReportJob");
            assertThat(call.arguments())
                    .containsExactly("gid://shop/Order/7", Duration.ofHours(1), Map.of("copies", 2));
            assertThat(call.payload().bytes()).asString().isEqualTo(stored);
        });
        assertThat(bed.processed()).isEqualTo(1);
        assertThat(bed.failed()).isZero();
    }

    @Test
    void aFailedOneIsKeptAsItWasStored() {
        run(envelope(WRAPPER, "FailingJob", "[]", "\"cattr\":{\"_aj_symbol_keys\":[]}"), jobs);
        Payload retry = bed.only("retry");
        assertThat(retry.name()).isEqualTo(WRAPPER);
        assertThat(retry.text("wrapped")).isEqualTo("FailingJob");
        assertThat(new String(retry.rawArgs(), UTF_8)).contains("\"job_id\":\"0d7f9a5e\"");
        assertThat(new String(retry.raw("cattr"), UTF_8)).isEqualTo("{\"_aj_symbol_keys\":[]}");
        assertThat(retry.get("error_message")).isEqualTo("boom");
    }

    @Test
    void anUnknownJobIsReportedUnderItsOwnName() {
        run(envelope(WRAPPER, "OtherJob", "[]"), jobs);
        assertThat(bed.only("retry").text("error_message"))
                .contains("'OtherJob'")
                .contains("j1");
    }

    @Test
    void anEnvelopeThatDoesNotSayWhatIsInsideIsUnknownItself() {
        run(EngineTestBed.payload(WRAPPER, "j1", "[{\"arguments\":[]}]", "\"retry\":true"), jobs);
        assertThat(bed.only("retry").text("error_message")).contains("'" + WRAPPER + "'");
    }

    @Test
    void anEmptyEnvelopeIsAFailureThatNamesTheJob() {
        run(EngineTestBed.payload(WRAPPER, "j1", "[]", "\"retry\":true", "\"wrapped\":\"ReportJob\""), jobs);
        Payload retry = bed.only("retry");
        assertThat(retry.get("error_class")).isEqualTo(ArgumentException.class.getName());
        assertThat(retry.text("error_message"))
                .contains("ReportJob")
                .contains("j1")
                .contains("'arguments'");
    }

    @Test
    void aJobOfTheNameOfTheEnvelopeComesFirstAndGetsTheEnvelope() {
        AllJobs all = new AllJobs();
        run(envelope(WRAPPER, "ReportJob", "[1,2]"), all);
        assertThat(all.calls).singleElement().satisfies(call -> {
            assertThat(call.name()).isEqualTo("ReportJob");
            assertThat(call.arguments()).containsExactly(List.of(1, 2));
        });
    }

    @Test
    void wrappedMeansNothingOutsideOfAnEnvelope() {
        run(EngineTestBed.payload("FailingJob", "j1", "[]", "\"retry\":true", "\"wrapped\":\"ReportJob\""), jobs);
        assertThat(bed.only("retry").get("error_message")).isEqualTo("boom");
    }
}
