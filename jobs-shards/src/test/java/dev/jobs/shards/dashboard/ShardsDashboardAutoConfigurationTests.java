package dev.jobs.shards.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.assembly.DashboardAutoConfiguration;
import dev.jobs.dashboard.assembly.Divisions;
import dev.jobs.shards.spring.JobShards;
import dev.jobs.shards.spring.JobsShardsAutoConfiguration;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

class ShardsDashboardAutoConfigurationTests {

    private final WebApplicationContextRunner web = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataRedisAutoConfiguration.class,
                    JobsAutoConfiguration.class,
                    JobsShardsAutoConfiguration.class,
                    ShardsDashboardAutoConfiguration.class))
            .withPropertyValues("jobs.worker.enabled=false");

    @Test
    void needsNoDashboard() {
        web.withClassLoader(new FilteredClassLoader("dev.jobs.dashboard"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(JobShards.class));
        web.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Divisions.class));
    }

    @Test
    void bringsTheViewOverAllShards() {
        web.withConfiguration(AutoConfigurations.of(DashboardAutoConfiguration.class))
                .run(context -> assertThat(context).hasSingleBean(Divisions.class));
    }

    /** The view over all shards has that path. */
    @Test
    void noInstallationHasItsName() {
        web.withConfiguration(AutoConfigurations.of(DashboardAutoConfiguration.class))
                .withPropertyValues("jobs.dashboard.installations.shards.redis.url=redis://localhost:1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("must have other names than the dashboard's pages and files"));
    }
}
