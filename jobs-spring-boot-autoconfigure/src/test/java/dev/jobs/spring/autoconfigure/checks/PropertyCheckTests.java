package dev.jobs.spring.autoconfigure.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.limits.Limit;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.limits.QueueLimitProperties;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** What is set and not in force is said at the start: an error if it is certain, else a line of the log. */
@ExtendWith(OutputCaptureExtension.class)
class PropertyCheckTests {

    private final ApplicationContextRunner runner = JobsContext.withoutStart().withBean(Mails.class);

    static class Mails {

        @Job(queue = "mail:high", retryQueue = "mail.retries")
        @Limit(name = "erp.sync")
        void send() {}
    }

    private ApplicationContextRunner yaml(String text) {
        return runner.withInitializer(context -> {
            try {
                new YamlPropertySourceLoader()
                        .load("the file", new ByteArrayResource(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                        .forEach(context.getEnvironment().getPropertySources()::addFirst);
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "queues: [\"mail:high\"], queue-limits: {\"mail:high\": {concurrency: 1}}  | jobs.queue-limits[mail:high].concurrency",
                "queues: [mail.high], queue-limits: {mail.high: {concurrency: 1}}          | jobs.queue-limits[mail.high].concurrency",
                "ordered-queues: {imports.eu: fair}                                        | jobs.ordered-queues[imports.eu]",
                "ordered-queues: {\"imports:eu\": fair}                                    | jobs.ordered-queues[imports:eu]",
                "limits: {erp.sync: {concurrency: 3}}                                      | jobs.limits[erp.sync].concurrency",
                "queue-limits: {default: {concurency: 1}}                                  | did you mean jobs.queue-limits.default.concurrency?",
                "queues: \"critical,3\"                                                    | jobs.queues[0]=critical,3",
                "capsules: {mails: {queues: \"a, 3 ,b,1\"}}                                | jobs.capsules[mails].queues[0]=a,3, as a variable JOBS_CAPSULES_MAILS_QUEUES_0=a,3, in YAML [\"a,3\"]"
            })
    void aMistakeEndsTheStart(String jobs, String remedy) {
        yaml("jobs: {" + jobs + "}").run(context -> assertThat(context)
                .getFailure()
                .isInstanceOf(IneffectivePropertiesException.class)
                .hasMessageContaining(remedy)
                .hasMessageContaining(
                        remedy.contains("[0]=") ? "jobs." : "(Byte array resource")); // where it is written
    }

    @Test
    void anUnservedQueueOrAnUnknownNameIsAWarning(CapturedOutput output) {
        yaml("""
                        jobs:
                          queues: [default, "mail:hihg", "b,2"]
                          queue-limits: {defualt: {concurrency: 1}, elsewhere: {concurrency: 1}, b: {concurrency: 1}}
                          ordered-queues: {"[mail.retires]": fair}
                          limits: {"[erp.snyc]": {concurrency: 1}}
                          limiters.errors: [java.lang.IllegalStateException, java.lang.IllegalStatException]
                          concurency: 5
                        """)
                .withBean(
                        ConfiguredNames.class,
                        () -> new ConfiguredNames(
                                "jobs.history.jobs",
                                ConfiguredNames.Kind.JOB,
                                java.util.List.of("Mail*", "Mials.send")))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .contains("WARN")
                            .contains("jobs.queue-limits names queues that this worker takes nothing from: "
                                    + "'defualt'; did you mean 'default'?, 'elsewhere'")
                            .doesNotContain("'b'")
                            .containsPattern(
                                    "WARN .*jobs.ordered-queues names queues that this application has no jobs of: "
                                            + "'mail.retires'; did you mean 'mail.retries'\\?")
                            .containsPattern("WARN .*jobs.limits names .*'erp.snyc'; did you mean 'erp.sync'\\?")
                            .contains("[java.lang.IllegalStatException]")
                            .contains("jobs.history.jobs names jobs that this application doesn't have: "
                                    + "'Mials.send'; did you mean 'Mails.send'?")
                            .contains("'mail:high' may be meant by 'mail:hihg'")
                            .contains("mail.retries=[Mails.send]")
                            .contains("jobs.concurency (Byte array resource")
                            .contains("there is no such property; did you mean jobs.concurrency?");
                });
    }

    @Test
    void queuesMayBeNumbers() {
        yaml("jobs: {queues: \"1,2, 3\"}")
                .run(context -> assertThat(context.getBean(JobsProperties.class).queues())
                        .containsExactly("1", "2", "3"));
    }

    @Test
    void namesInBracketsAreInForce(CapturedOutput output) {
        yaml("""
                        jobs:
                          queues: ["mail:high,3", mail.retries]
                          queue-limits: {"[mail:high]": {concurrency: 1}, "[mail.retries]": {concurrency: 2}}
                          ordered-queues: {"[mail:high]": {by: fair, weights: {"[a:b]": 2, c.d: 3}}}
                          limits: {"[erp.sync]": {concurrency: 1}}
                          mail: {from: me@example.org}
                        """).run(context -> {
            assertThat(context.getBean(JobsProperties.class).queueLimits())
                    .containsOnlyKeys("mail:high", "mail.retries");
            assertThat(context.getBean(JobsProperties.class)
                            .orderedQueues()
                            .get("mail:high")
                            .weights())
                    .isEqualTo(Map.of("a:b", 2, "c.d", 3));
            assertThat(output).doesNotContain("WARN").doesNotContain("names queues");
        });
    }

    @Test
    void theEnvironmentIsLookedAt(CapturedOutput output) {
        variables(Map.of("JOBS_CONCURENCY", "5", "JOBS_HOME", "/opt/jobs", "JOBS_QUEUELIMITS_MAIL_CONCURRENCY", "1"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .contains("did you mean jobs.concurrency?")
                            .doesNotContain("JOBS_HOME");
                });
        variables(Map.of("JOBS_QUEUELIMITS_MAIL_HIGH_CONCURRENCY", "1", "JOBS_QUEUES", "critical,3"))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("JOBS_QUEUELIMITS_MAIL_HIGH_CONCURRENCY")
                        .hasMessageContaining("JOBS_QUEUES_0=critical,3"));
    }

    /** Spring finds the older form, too, for a name that it knows from elsewhere. */
    @ParameterizedTest
    @CsvSource({
        "JOBS_QUEUE_LIMITS_MAIL_CONCURRENCY, mail",
        "JOBS_QUEUELIMITS_MAIL_CONCURRENCY, mail",
        "JOBS_QUEUE_LIMITS_MAIL_HIGH_CONCURRENCY, mail-high",
        "JOBS_QUEUELIMITS_MAILHIGH_CONCURRENCY, mail-high",
        "JOBS_QUEUE_LIMITS_MAIL_MID_CONCURRENCY, mail_mid",
        "JOBS_QUEUE_LIMITS_MAIL_MAX_CONCURRENCY, mail-max"
    })
    void aVariableSetsWhatAFileNames(String variable, String queue) {
        runWithFile(Map.of(variable, "5"), context -> assertThat(
                        context.getBean(JobsProperties.class).queueLimits().get(queue))
                .isEqualTo(new QueueLimitProperties(5)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "JOBS_QUEUE_LIMITS_OTHER_CONCURRENCY",
                "JOBS_QUEUE_LIMITS_IMPORTS_CONCURRENCY", // the file says queueLimits
                "JOBS_QUEUE_LIMITS_MAIL_LOW_CONCURRENCY",
                "JOBS_QUEUELIMITS_MAIL_LOW_CONCURRENCY",
                "JOBS_QUEUE_LIMITS_MAIL_CONCURENCY"
            })
    void aVariableThatSetsNothingOfAFileEndsTheStart(String variable) {
        runWithFile(Map.of(variable, "5"), context -> assertThat(context)
                .getFailure()
                .isInstanceOf(IneffectivePropertiesException.class)
                .hasMessageContaining(variable));
    }

    private void runWithFile(Map<String, Object> variables, ContextConsumer<AssertableApplicationContext> check) {
        variables(variables)
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addLast(new MapPropertySource(
                                "the file",
                                Map.of(
                                        "jobs.queues", "mail, mail-high, mail_mid, mail-max, mail.low, imports",
                                        "jobs.queueLimits.imports.concurrency", "1",
                                        "jobs.queue-limits.mail.concurrency", "1",
                                        "jobs.queue-limits.mail-high.concurrency", "1",
                                        "jobs.queue-limits.mail_mid.concurrency", "1",
                                        "jobs.queue-limits[mail-max].concurrency", "1",
                                        "jobs.queue-limits[mail.low].concurrency", "1"))))
                .run(check);
    }

    private ApplicationContextRunner variables(Map<String, Object> variables) {
        return runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables)));
    }

    @Test
    void anApplicationThatIsTurnedOffStartsWithAnything() {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource(
                                "its", Map.of("jobs.enabled", "false", "jobs.limits.a.b.concurrency", "1"))))
                .run(context -> assertThat(context).hasNotFailed());
    }
}
