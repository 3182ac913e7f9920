package dev.jobs.dashboard.shards;

import dev.jobs.ArgumentMasking;
import dev.jobs.dashboard.assembly.Assembly;
import dev.jobs.dashboard.assembly.DashboardAutoConfiguration;
import dev.jobs.dashboard.assembly.OwnShards;
import dev.jobs.dashboard.web.DaemonThreads;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.shards.spring.JobShards;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the dashboard of an application whose jobs are in several shards. */
@AutoConfiguration(after = DashboardAutoConfiguration.class)
@ConditionalOnClass(JobShards.class)
@ConditionalOnBean({JobShards.class, Assembly.class})
public final class ShardsDashboardAutoConfiguration {

    @Bean
    SideBySide jobsDashboardShards() {
        return new SideBySide(new DaemonThreads("jobs-dashboard-shards-"));
    }

    @Bean
    OwnShards jobsDashboardShardsView(
            JobShards shards, SideBySide jobsDashboardShards, ArgumentMasking masking, EngineEnvironment environment) {
        return new ShardsView(shards, jobsDashboardShards, masking, environment.clock());
    }
}
