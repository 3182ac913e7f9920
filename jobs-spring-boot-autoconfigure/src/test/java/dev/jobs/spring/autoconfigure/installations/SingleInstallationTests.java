package dev.jobs.spring.autoconfigure.installations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobDefinitionException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What an application has without the module that divides its jobs among shards. */
class SingleInstallationTests {

    @Test
    void allJobsAreOnTheApplicationsRedis() {
        JobsContext.withoutWorker().run(context -> {
            OwnInstallations own = context.getBean(OwnInstallations.class);
            assertThat(own.home()).isEqualTo("home");
            assertThat(own.admins()).containsExactly(Map.entry("home", context.getBean(JobsAdmin.class)));
            assertThat(own.tags("home")).isEmpty();
        });
    }

    /** Of Kubernetes, for a service whose name is jobs-shards. */
    @Test
    void variablesOfAServiceSetNoShards() {
        with(Map.of(
                        "JOBS_SHARDS_SERVICE_HOST", "10.0.0.1",
                        "JOBS_SHARDS_PORT", "tcp://10.0.0.1:6379",
                        "JOBS_SHARDS_PORT_6379_TCP_ADDR", "10.0.0.1"))
                .run(context -> assertThat(context).hasNotFailed());
        with(Map.of("JOBS_SHARDS_EAST_KEY_PREFIX", "east:")).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessage("jobs.shards is set by 'systemEnvironment', and this application knows no shards"));
    }

    private static ApplicationContextRunner with(Map<String, Object> variables) {
        return JobsContext.withoutWorker().withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace("systemEnvironment", new SystemEnvironmentPropertySource("systemEnvironment", variables)));
    }

    @ParameterizedTest
    @CsvSource({
        "jobs.shards, jobs.shards.east.key-prefix=east:",
        "jobs.shards, jobs.shards.home.queues[0]=mail",
        "jobs.cluster-shards, jobs.clusterShards=2",
        "jobs.spread-queues, jobs.spread-queues[mail.eu].by=jid",
        "jobs.moving-queues, jobs.moving-queues.mail.from=east",
        "jobs.home-shard, jobs.home-shard=west"
    })
    void propertiesOfShardsNeedTheirModule(String property, String set) {
        JobsContext.withoutWorker().withPropertyValues(set).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOfSatisfying(JobDefinitionException.class, failure -> {
                    assertThat(failure)
                            .hasMessage(property + " is set by 'test', and this application knows no shards");
                    assertThat(failure.action()).startsWith("Add dev.jobs:jobs-shards to the class path");
                }));
    }
}
