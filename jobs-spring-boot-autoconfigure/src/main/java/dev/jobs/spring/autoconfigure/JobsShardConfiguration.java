package dev.jobs.spring.autoconfigure;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.admin.RedisFindings;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.shards.OpenTransfers;
import dev.jobs.spring.JobShards;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.store.DeadSetLimits;
import dev.jobs.transactions.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The shards of this application: the home shard, which all other beans are about, and those that properties name. */
@Configuration(proxyBeanMethods = false)
@RegisterReflectionForBinding(ShardTransfers.Progress.class)
final class JobsShardConfiguration {

    private static final Logger log = LoggerFactory.getLogger(JobsShardConfiguration.class);

    /** @param connections none if the application brings its own, as tests do: then there is the home shard alone */
    @Bean
    @ConditionalOnMissingBean
    ApplicationShards jobsApplicationShards(
            JobsProperties properties,
            ShardsProperties shards,
            ObjectProvider<ShardConnections> connections,
            JobRegistry registry,
            ObjectProvider<JobHooks> hooks,
            ClientConfig config,
            EngineEnvironment environment,
            Transactions transactions,
            DeadSetLimits dead,
            CurrentDelivery current,
            BeanFactory beans) {
        ShardLayout layout = ShardLayout.of(shards, properties.keyPrefix());
        if (layout.isSharded()) {
            new ShardRules(layout.map(), properties, registry).check();
        }
        ShardConnections open = connections.getIfAvailable();
        if (open != null && layout.isSharded()) {
            log.info("The jobs are in these shards: {}", open);
        }
        ShardTools.Shared shared = new ShardTools.Shared(
                registry,
                JobsAutoConfiguration.late(hooks),
                config,
                environment,
                transactions,
                dead,
                properties.recurring().namespace());
        return open == null || !layout.isSharded()
                ? ApplicationShards.alone(ShardLayout.alone(shards.homeShard(), properties.keyPrefix()), open, beans)
                : ApplicationShards.of(
                        layout,
                        open,
                        beans,
                        shard -> new ShardTools(
                                open.of(shard),
                                shard.equals(layout.map().home()) ? current : new CurrentDelivery(),
                                layout.shard(shard),
                                shared));
    }

    /** Somebody may move a queue to or from this Redis, also while this application has it alone. */
    @Bean
    RedisFindings jobsOpenTransfers() {
        return OpenTransfers::new;
    }

    /** What applications inject, and may replace. */
    @Bean
    @ConditionalOnMissingBean
    JobShards jobShards(ApplicationShards shards) {
        return shards.forApplication();
    }

    /** Refuses every queue if there is only the home shard. */
    @Bean
    @ConditionalOnBean(ShardConnections.class)
    @ConditionalOnMissingBean
    ShardTransfers jobShardTransfers(ShardConnections connections) {
        return new ShardTransfers(connections);
    }
}
