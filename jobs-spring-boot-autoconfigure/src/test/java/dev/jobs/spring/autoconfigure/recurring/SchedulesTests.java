package dev.jobs.spring.autoconfigure.recurring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobDefinitionException;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.recurring.Declaration;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;

/** Recurring jobs in files of an application. */
@Tag("sidekiq-29")
@ExtendWith(OutputCaptureExtension.class)
class SchedulesTests {

    private final ApplicationContextRunner runner = JobsContext.withoutStart().withBean(Reports.class);

    static class Reports {

        @Job(value = "nightly-report", cron = "0 2 * * *", zone = "Europe/Berlin", queue = "low")
        void nightly() {}

        @Job("Reports.region")
        void region(String name, long customer) {}
    }

    private ApplicationContextRunner yaml(String text) {
        return runner.withInitializer(context -> {
            try {
                new YamlPropertySourceLoader()
                        .load("the file", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                        .forEach(context.getEnvironment().getPropertySources()::addFirst);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** What the engine declares, by its name. */
    private static void declared(ApplicationContextRunner runner, Consumer<Map<String, Declaration>> check) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            ConfiguredSchedules configured = context.getBean(ConfiguredSchedules.class);
            assertThat(context.getBean(EngineConfig.class).recurring().schedules())
                    .isSameAs(configured);
            check.accept(configured.declared().recurring().stream()
                    .collect(Collectors.toMap(Declaration::name, each -> each)));
        });
    }

    private static String message(Declaration declared) {
        return declared.fields("default").get("message");
    }

    @Test
    void everyPropertyOfAScheduleCounts() {
        declared(yaml("""
                        reports.customer: 42
                        jobs:
                          recurring:
                            schedules:
                              nightly-report: "0 5 * * *"
                              north:
                                job: Reports.region
                                cron: ${north.cron:0 6 * * *}
                                zone: Europe/Berlin
                                args: [north, "${reports.customer}"]
                                queue: reports
                                description: Sales of the north
                              clean:
                                job: CleanupWorker
                                cron: "@hourly"
                                args: [1, true, eu, "[1, 2]", null]
                              often:
                                job: CleanupWorker
                                every: ${often.every:90s}
                                missed: all
                                most-missed: 24
                                overlap: queue
                              slowly: {job: CleanupWorker, delay: 1m}
                              text: {job: CleanupWorker, cron: "@every 90s", missed: within-grace}
                        """), all -> {
            assertThat(all).containsOnlyKeys("nightly-report", "north", "clean", "often", "slowly", "text");
            assertThat(all.get("nightly-report").schedule()).hasToString("0 5 * * * Europe/Berlin");
            Recurrence often = Recurrence.every(Duration.ofSeconds(90));
            assertThat(all.get("often").recurrence())
                    .isEqualTo(often.missed(Missed.ALL).mostMissed(24).overlap(Overlap.QUEUE));
            assertThat(all.get("slowly").recurrence()).isEqualTo(Recurrence.delay(Duration.ofMinutes(1)));
            assertThat(all.get("text").schedule()).hasToString("@every 1m30s");
            Declaration north = all.get("north");
            assertThat(north.schedule()).hasToString("0 6 * * * Europe/Berlin");
            assertThat(north.recurrence().description()).isEqualTo("Sales of the north");
            assertThat(message(north))
                    .isEqualTo("{\"retry\":true,\"queue\":\"reports\",\"class\":\"Reports.region\","
                            + "\"args\":[\"north\",42]}");
            assertThat(message(all.get("clean")))
                    .isEqualTo("{\"retry\":true,\"queue\":\"default\",\"class\":\"CleanupWorker\","
                            + "\"args\":[1,true,\"eu\",[1,2],\"\"]}");
        });
    }

    @Test
    void propertiesAndVariablesMeanTheSame() {
        declared(
                runner.withPropertyValues(
                        "jobs.recurring.schedules.north.job=Reports.region",
                        "jobs.recurring.schedules.north.cron=0,30 6 * * *",
                        "jobs.recurring.schedules.north.args=north,42",
                        "jobs.recurring.schedules[Reports.region].cron=@daily",
                        "jobs.recurring.schedules[Reports.region].args[0]=a, b",
                        "jobs.recurring.schedules[Reports.region].args[1]=1"),
                all -> {
                    assertThat(all.get("north").schedule()).hasToString("0,30 6 * * *");
                    assertThat(all.get("north").draft().args()).isEqualTo(List.of("north", 42L));
                    assertThat(all.get("Reports.region").draft().args()).isEqualTo(List.of("a, b", 1L));
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nightly-report: \"-\"",
                "nightly-report: {cron: \"-\"}",
                "nightly-report: {cron: \"${reports.cron:-}\"}",
                "nightly-report: {every: \"-\"}",
                "nightly-report: {delay: \"${reports.delay:-}\", every: \"${reports.every:}\"}",
                "\"[nightly-report]\": {cron: \"-\"}"
            })
    void aMinusTurnsAScheduleOff(String schedule) {
        yaml("jobs.recurring.schedules: {" + schedule + "}").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(ConfiguredSchedules.class).declared().off())
                    .containsOnlyKeys("nightly-report");
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "north: {job: Reports.region, cron: \"0 25 * * *\", args: [a, 1]} | jobs.recurring.schedules[north].cron is wrong: the cron text '0 25 * * *' can't be used",
                "north: {job: Reports.region, cron: \"@daily\", args: [a, b]}     | jobs.recurring.schedules[north].args[1] can't be read as the parameter 'customer'",
                "north: {job: Reports.region, args: [a, 1]}                       | jobs.recurring.schedules[north].cron is missing",
                "nightly: \"0 5 * * *\"                                           | jobs.recurring.schedules[nightly].job is missing, and this application has no job 'nightly'; it has Reports.region, nightly-report",
                "nightly-report: {cron: \"${reports.cron}\"}                      | The placeholder in jobs.recurring.schedules[nightly-report].cron, '${reports.cron}', can't be resolved",
                "north: {job: X, cron: \"@daily\", args: [\"${reports.region}\"]} | The placeholder in jobs.recurring.schedules[north].args[0], '${reports.region}', can't be resolved",
                "nightly-report: {every: 700ms}                                   | jobs.recurring.schedules[nightly-report].every is '700ms'",
                "nightly-report: {every: soon}                                    | jobs.recurring.schedules[nightly-report].every is 'soon'",
                "nightly-report: {cron: \"@daily\", delay: 30s}                   | jobs.recurring.schedules[nightly-report].cron and jobs.recurring.schedules[nightly-report].delay are set together",
                "nightly-report: {delay: 30s, overlap: skip}                      | jobs.recurring.schedules[nightly-report] has a delay, beside which missed, most-missed and overlap have no effect",
                "nightly-report: {every: 90s, zone: UTC}                          | a fixed rate or delay has no time zone",
                "nightly-report: {cron: \"@daily\", zone: Berlin}                 | there is no time zone 'Berlin'"
            })
    void whatCannotWorkEndsTheStart(String schedule, String message) {
        yaml("jobs.recurring.schedules: {" + schedule + "}").run(context -> {
            assertThat(context).hasFailed();
            assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                    .isInstanceOf(JobDefinitionException.class)
                    .hasMessageContaining(message)
                    .satisfies(e ->
                            assertThat(((JobDefinitionException) e).action()).isNotBlank());
        });
    }

    @Test
    void anApplicationThatIsTurnedOffStartsWithAnySchedule() {
        yaml("jobs: {enabled: false, recurring.schedules: {nightly: \"0 25 * * *\"}}")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aMisspelledPropertyAndAJobThatIsNearlyKnownAreSaid(CapturedOutput output) {
        yaml("jobs.recurring.schedules: {north: {job: Reports.regoin, cron: \"@daily\"}, clean: {job: Ruby, cron: \"@daily\"}}")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .containsPattern(
                                    "WARN .*jobs.recurring.schedules names jobs that this application doesn't have: "
                                            + "'Reports.regoin'; did you mean 'Reports.region'\\?, 'Ruby'");
                });
        yaml("jobs.recurring.schedules: {nightly-report: {cron: \"@daily\", zonne: UTC}}")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("did you mean jobs.recurring.schedules.nightly-report.zone?"));
    }
}
