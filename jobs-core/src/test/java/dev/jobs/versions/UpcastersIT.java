package dev.jobs.versions;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.ArgumentMasking;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.JobUpcaster;
import dev.jobs.JobUpcaster.Stored;
import dev.jobs.Masked;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.testing.RedisFixture;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs of former versions run after upcasters have given them their present name and arguments. */
class UpcastersIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
    }

    static final class Jobs {
        final List<String> ran = new CopyOnWriteArrayList<>();

        @Job("New")
        void renamed(String to, int count, JobContext job) {
            ran.add(job.name() + " " + to + " " + count);
        }

        @Job("Exact")
        void exact(BigDecimal amount) {
            ran.add(amount.toPlainString());
        }
    }

    private void run(JobRegistry registry, String... payloads) {
        for (String payload : payloads) {
            bed.push("default", payload);
        }
        bed.start(registry);
        bed.awaitDrained("default");
        bed.stopEngines();
    }

    @Test
    void aRenamedAndReshapedJobRunsAndKeepsItsStoredNameForOthers() {
        JobUpcaster old = JobUpcaster.of(
                "Old", job -> new Stored("New", List.of(job.arguments().get(1), 7)));
        run(JobRegistry.of(jobs).withUpcasters(old), payload("Old", "j1", "[\"from\",\"to\"]", "\"retry\":true"));
        assertThat(jobs.ran).containsExactly("Old to 7");
        assertThat(redis.texts().exists("retry", "dead")).isZero();
    }

    @Test
    void aJobOfTheSameNameIsReshapedOnlyIfItHasTheFormerForm() {
        JobUpcaster reshape = JobUpcaster.of(
                "New",
                job -> job.arguments().size() == 1
                        ? new Stored("New", List.of(job.arguments().get(0), 1))
                        : job);
        run(
                JobRegistry.of(jobs).withUpcasters(reshape),
                payload("New", "j1", "[\"a\"]"),
                payload("New", "j2", "[\"b\",2]"));
        assertThat(jobs.ran).containsExactlyInAnyOrder("New a 1", "New b 2");
    }

    @Test
    void upcastersContinueWhereFormerOnesEnded() {
        JobUpcaster one = JobUpcaster.of(
                "V1", job -> new Stored("V2", List.of(job.arguments().get(0), 2)));
        JobUpcaster two = JobUpcaster.of("V2", job -> new Stored("New", job.arguments()));
        run(
                JobRegistry.of(jobs).withUpcasters(one, two),
                payload("V1", "j1", "[\"a\"]"),
                payload("V2", "j2", "[\"b\",3]"));
        assertThat(jobs.ran).containsExactlyInAnyOrder("V1 a 2", "V2 b 3");
    }

    @Test
    void argumentsThatStayKeepEveryDigit() {
        JobUpcaster rename = JobUpcaster.of("OldExact", job -> new Stored("Exact", job.arguments()));
        run(JobRegistry.of(jobs).withUpcasters(rename), payload("OldExact", "j1", "[0.12345678901234567890123]"));
        assertThat(jobs.ran).containsExactly("0.12345678901234567890123");
    }

    @Test
    void theJobInsideAnEnvelopeIsUpcast() {
        JobUpcaster old = JobUpcaster.of("Old", job -> new Stored("New", job.arguments()));
        run(
                JobRegistry.of(jobs).withUpcasters(old),
                payload(
                        "Sidekiq::ActiveJob::Wrapper",
                        "j1",
                        "[{\"job_class\":\"Old\",\"arguments\":[\"a\",1]}]",
                        "\"wrapped\":\"Old\""));
        assertThat(jobs.ran).containsExactly("Old a 1");
    }

    @Test
    void anUpcasterThatFailsIsAFailureOfTheJob() {
        JobUpcaster broken = JobUpcaster.of("Old", job -> {
            throw new IllegalStateException("unexpected form");
        });
        run(JobRegistry.of(jobs).withUpcasters(broken), payload("Old", "j1", "[1]", "\"retry\":true"));
        assertThat(bed.only("retry").text("error_message")).isEqualTo("unexpected form");
        assertThat(bed.errors).hasSize(1);
    }

    @Test
    void anUpcasterWithoutNamesIsRefused() {
        JobUpcaster idle = new JobUpcaster() {
            @Override
            public Set<String> names() {
                return Set.of();
            }

            @Override
            public Stored upcast(Stored job) {
                return job;
            }
        };
        JobRegistry registry = JobRegistry.of(jobs).withUpcasters(idle);
        assertThatThrownBy(registry::upcastNames)
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("has no names");
    }

    @Test
    void argumentsOfUpcastJobsAreHiddenIfAnyJobHidesSome() {
        JobRegistry registry = JobRegistry.of(new Secrets())
                .withUpcasters(JobUpcaster.of("Old", job -> new Stored("Secret", job.arguments())));
        Payload stored = Payload.parse(payload("Old", "j1", "[\"hunter2\"]").getBytes(StandardCharsets.UTF_8));
        assertThat(new ArgumentMasking(registry, List.of()).shown(stored).args())
                .isEqualTo(List.of(ArgumentMasking.HIDDEN));
    }

    static final class Secrets {
        @Job("Secret")
        void secret(@Masked String password) {}
    }
}
