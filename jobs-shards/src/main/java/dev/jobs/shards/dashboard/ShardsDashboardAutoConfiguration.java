package dev.jobs.shards.dashboard;

import dev.jobs.ArgumentMasking;
import dev.jobs.dashboard.assembly.Assembly;
import dev.jobs.dashboard.assembly.DashboardAutoConfiguration;
import dev.jobs.dashboard.assembly.Divisions;
import dev.jobs.dashboard.server.DashboardHints;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.shards.spring.JobShards;
import dev.jobs.shards.spring.SideBySide;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/** Auto-configuration of the dashboard of an application whose jobs are in several shards. */
@AutoConfiguration(after = DashboardAutoConfiguration.class)
@ConditionalOnClass(Assembly.class)
@ConditionalOnBean({JobShards.class, Assembly.class})
@ImportRuntimeHints(ShardsDashboardAutoConfiguration.Answers.class)
public final class ShardsDashboardAutoConfiguration {

    /** The records of which answers are made. */
    static final class Answers implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            DashboardHints.registerRecords(hints, classLoader, "dev/jobs/shards/");
            DashboardHints.registerRecords(hints, classLoader, "dev/jobs/shards/dashboard/");
        }
    }

    @Bean
    SideBySide jobsDashboardShards() {
        return new SideBySide("jobs-dashboard-shards-", AllShards.PATIENCE);
    }

    @Bean
    Divisions jobsDashboardShardsView(
            JobShards shards, SideBySide jobsDashboardShards, ArgumentMasking masking, EngineEnvironment environment) {
        return new ShardsView(shards, jobsDashboardShards, masking, environment.clock());
    }
}
