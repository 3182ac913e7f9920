package dev.jobs.spring.autoconfigure.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.limits.Limit;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** An application may have had properties of its own below jobs before it had Jobs. */
@ExtendWith(OutputCaptureExtension.class)
class ForeignKeysTests {

    private final ApplicationContextRunner runner = JobsContext.withoutStart().withBean(Imports.class);

    static class Imports {

        @Job(queue = "mail")
        @Limit(name = "erp")
        void run() {}
    }

    private ApplicationContextRunner file(String... lines) {
        return runner.withInitializer(context -> {
            try {
                new PropertiesPropertySourceLoader()
                        .load(
                                "the file",
                                new ByteArrayResource(
                                        String.join("\n", lines).getBytes(java.nio.charset.StandardCharsets.UTF_8),
                                        "application.properties"))
                        .forEach(context.getEnvironment().getPropertySources()::addFirst);
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    /** Whatever has properties below it has no value of its own. */
    static Stream<String> groups() {
        return Arrays.stream(JobsProperties.class.getRecordComponents())
                .filter(each -> each.getType().isRecord() || each.getType() == Map.class)
                .map(RecordComponent::getName)
                .map(name -> "jobs." + name.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT));
    }

    @ParameterizedTest
    @MethodSource("groups")
    void aValueInThePlaceOfAGroupIsLeftAlone(String group, CapturedOutput output) {
        file("a=1", group + "=30s").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output.toString().lines().filter(line -> line.contains(group + " (")))
                    .singleElement()
                    .asString()
                    .contains("WARN")
                    .contains("application.properties")
                    .contains("2:")
                    .contains(group + ".");
        });
    }

    @Test
    void whatStandsBesideItIsInForce(CapturedOutput output) {
        file("jobs.limits.cpu=4", "jobs.limits.mail.concurrency=2", "jobs.timeout=30s", "jobs.concurrency=3")
                .run(context -> {
                    JobsProperties properties = context.getBean(JobsProperties.class);
                    assertThat(properties.limits()).containsOnlyKeys("mail");
                    assertThat(properties.concurrency()).isEqualTo(3);
                    assertThat(output)
                            .contains("jobs.limits.cpu (")
                            .contains("jobs.limits.cpu.concurrency")
                            .contains("jobs.timeout (");
                });
        file("jobs.retry=3", "jobs.retry.max-attempts=7", "jobs.lease=30s").run(context -> {
            assertThat(context.getBean(JobsProperties.class).retry().maxAttempts())
                    .isEqualTo(7);
            assertThat(context.getBean(JobsProperties.class).lease()).isEqualTo(Duration.ofSeconds(30));
        });
    }

    /** Who has both may think that both are in force. */
    @Test
    void aValueBesidePropertiesOfItsGroupIsToldToo(CapturedOutput output) {
        file("jobs.retry=3", "jobs.retry.max-attempts=7", "jobs.limits.cpu=4", "jobs.limits.cpu.concurrency=2")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).containsOnlyOnce("jobs.retry (").containsOnlyOnce("jobs.limits.cpu (");
                });
    }

    /** The module of the embedded Redis is on the class path, and takes no part in this application. */
    @Test
    void theGroupOfAModuleThatTakesNoPartIsKnown(CapturedOutput output) {
        file("jobs.embedded-redis=true").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).contains("jobs.embedded-redis (").contains("jobs.embedded-redis.enabled");
        });
    }

    @Test
    void aGroupWithoutEntriesIsNoValue(CapturedOutput output) {
        file("jobs.retry=").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).doesNotContain("left alone");
        });
    }

    @Test
    void propertiesOfAMissingModuleNameIt(CapturedOutput output) {
        file("jobs.history=30d", "jobs.outbox.lanes=2", "jobs.outbox.relay=true")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output.toString().lines().filter(line -> line.contains("is not on the class path")))
                            .hasSize(2)
                            .anySatisfy(line -> assertThat(line)
                                    .contains("WARN", "application.properties", "dev.jobs:jobs-history-jdbc"))
                            .anySatisfy(line -> assertThat(line).contains("jobs.outbox.lanes", "outbox-jdbc"));
                });
    }

    @Test
    void variablesMayBeTheApplicationsToo(CapturedOutput output) {
        Map<String, Object> variables = Map.of("JOBS_TIMEOUT", "30s", "JOBS_LIMITS_CPU", "4", "JOBS", "4");
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                new SystemEnvironmentPropertySource(
                                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables)))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).contains("JOBS_TIMEOUT").contains("JOBS_LIMITS_CPU");
                });
    }

    /** A limit that is not in force shows only under load. */
    @Test
    void aNumberForALimitOfTheApplicationIsAMistake(CapturedOutput output) {
        file("jobs.limits.erp=4").run(context -> assertThat(context)
                .getFailure()
                .isInstanceOf(IneffectivePropertiesException.class)
                .hasMessageContaining("jobs.limits.erp")
                .hasMessageContaining("application.properties")
                .hasMessageContaining("jobs.limits.erp.concurrency"));
        file("jobs.queue-limits.mail=4").run(context -> assertThat(context)
                .getFailure()
                .isInstanceOf(IneffectivePropertiesException.class)
                .hasMessageContaining("jobs.queue-limits.mail.concurrency"));
        assertThat(output).doesNotContain("left alone");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobs.concurrency=abc",
                "jobs.timeout.default=abc",
                "jobs.limits.cpu.concurrency=abc",
                "jobs.transactions=true",
                "jobs.ordered-queues.imports.weights=3",
                "jobs.capsules.reports=5"
            })
    void aWrongValueEndsTheStart(String line) {
        file(line)
                .run(context ->
                        assertThat(context).getFailure().hasStackTraceContaining(BindException.class.getName()));
    }

    @Test
    void anApplicationThatIsTurnedOffSaysWhere(CapturedOutput output) {
        file("jobs.enabled=false", "jobs.timeout=30s")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).containsPattern("INFO .*jobs.enabled is false \\(.*application.properties.* 1:");
    }
}
