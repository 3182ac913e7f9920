package dev.jobs.shards.spring;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.admin.RedisFindings;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.JobStore;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisServer;
import dev.jobs.shards.OpenTransfers;
import dev.jobs.shards.spring.ShardConnections.Home;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames.Kind;
import dev.jobs.spring.autoconfigure.client.LateHooks;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.autoconfigure.redis.JobsRedisClient;
import dev.jobs.spring.autoconfigure.redis.LateRedisClient;
import dev.jobs.spring.autoconfigure.redis.RedisSettings;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.transactions.Transactions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the shards of an application: the home shard, which all other beans are about, and those that
 * properties name.
 */
@AutoConfiguration(before = JobsAutoConfiguration.class, afterName = "dev.jobs.test.JobsTestAutoConfiguration")
@EnableConfigurationProperties(ShardsProperties.class)
public final class JobsShardsAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(JobsShardsAutoConfiguration.class);

    /** @param connections none if the application brings its own, as tests do: then its shards are all the home shard */
    @Bean
    @ConditionalOnMissingBean(OwnInstallations.class)
    ApplicationShards jobsApplicationShards(
            JobsProperties properties,
            ShardsProperties shards,
            ObjectProvider<ShardConnections> connections,
            JobRegistry registry,
            ObjectProvider<JobHooks> hooks,
            ClientConfig config,
            EngineEnvironment environment,
            Transactions transactions,
            DeadSetBounds dead,
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
                LateHooks.of(hooks),
                config,
                environment,
                transactions,
                dead,
                properties.recurring().namespace());
        return open == null || !layout.isSharded()
                ? ApplicationShards.alone(layout.map(), properties.keyPrefix(), open, beans)
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

    /** When all beans exist: reading the schedules may need upcasters. */
    @Bean
    SmartInitializingSingleton jobsShardsOfSchedules(
            JobsProperties properties, ShardsProperties shards, ObjectProvider<ConfiguredSchedules> schedules) {
        return () -> schedules.ifAvailable(all -> ShardRules.checkSchedules(
                ShardLayout.of(shards, properties.keyPrefix()).map(), all));
    }

    /** Somebody may move a queue to or from this Redis, also while this application has it alone. */
    @Bean
    RedisFindings jobsOpenTransfers() {
        return OpenTransfers::new;
    }

    /** What applications inject, and may replace. */
    @Bean
    @ConditionalOnMissingBean
    JobShards jobsShards(ApplicationShards shards) {
        return shards.forApplication();
    }

    @Bean
    ConfiguredNames.Several jobsShardNames(ShardsProperties shards) {
        List<ConfiguredNames> names = new ArrayList<>();
        names.add(queues("jobs.spread-queues", shards.spreadQueues().keySet()));
        names.add(queues("jobs.moving-queues", shards.movingQueues().keySet()));
        shards.shards().forEach((name, shard) -> names.add(queues("jobs.shards." + name + ".queues", shard.queues())));
        return () -> names;
    }

    private static ConfiguredNames queues(String property, Collection<String> names) {
        return new ConfiguredNames(property, Kind.QUEUE, List.copyOf(names), false);
    }

    /** Connections or a store of the application's own, such as those of tests, have the jobs of all shards in one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
    @ConditionalOnMissingBean({RedisConnections.class, JobStore.class})
    static class On {

        @Bean
        ShardConnections jobsShardConnections(
                JobsRedisClient client,
                RedisConnections connections,
                JobsProperties properties,
                ShardsProperties shards,
                ConfigurableListableBeanFactory beanFactory) {
            return new ShardConnections(
                    ShardLayout.of(shards, properties.keyPrefix()),
                    shards,
                    new Home(connections, client::client, client.address(), client.server()),
                    beanFactory,
                    (address, model, options, timeout, names) ->
                            ShardConnections.running(client.beside(address, model, options, timeout, names)));
        }

        @Bean
        @ConditionalOnBooleanProperty(name = "jobs.worker.enabled", matchIfMissing = true)
        DeclarationsElsewhere jobsDeclarationsElsewhere(
                ApplicationShards shards,
                ShardConnections connections,
                OwnEngines engines,
                EngineConfig config,
                JobRegistry registry,
                EngineEnvironment environment) {
            Map<String, RedisConnections> elsewhere = new LinkedHashMap<>();
            shards.all().stream()
                    .map(ApplicationShards.SuppliedShard::name)
                    .filter(name -> !engines.byInstallation().containsKey(name))
                    .forEach(name -> elsewhere.put(name, connections.of(name)));
            return new DeclarationsElsewhere(
                    elsewhere, connections.layout(), config.recurring(), registry, environment);
        }
    }

    /** For an application that is turned off: clients that the first call creates. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "jobs.enabled", havingValue = false)
    @ConditionalOnMissingBean({RedisConnections.class, JobStore.class})
    static class Off {

        @Bean
        ShardConnections jobsShardConnections(
                LateRedisClient client,
                RedisConnections connections,
                JobsProperties properties,
                ShardsProperties shards,
                ObjectProvider<DataRedisProperties> redisProperties,
                ConfigurableListableBeanFactory beanFactory) {
            return new ShardConnections(
                    ShardLayout.of(shards, properties.keyPrefix()),
                    shards,
                    new Home(
                            connections,
                            client::client,
                            null,
                            new RedisServer("", false, RedisSettings.of(redisProperties.getIfAvailable()))),
                    beanFactory,
                    (address, model, options, timeout, names) -> ShardConnections.late(
                            new LateRedisClient(() -> client.own().beside(address, model, options, timeout, names))));
        }
    }
}
