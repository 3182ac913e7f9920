package dev.jobs.shards.dashboard;

import dev.jobs.JobClient;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.limiters.Limiters;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.ShardMap.Spread;
import dev.jobs.shards.ShardMap.SpreadBy;
import dev.jobs.shards.spring.JobShards;
import dev.jobs.spring.autoconfigure.redis.InstallationRedis;
import dev.jobs.spring.autoconfigure.redis.OtherInstallation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/**
 * Shards for an application: home is its own Redis, and {@code test.shards} has the addresses of {@code b}, {@code c}
 * and so on. The queue {@code orders} is spread over all of them.
 */
@Configuration(proxyBeanMethods = false)
public class TestShards {

    @Bean
    @Primary
    Shards severalShards(
            @Value("${test.shards}") List<String> addresses,
            JobsAdmin admin,
            JobClient client,
            Batches batches,
            RecurringJobs recurring,
            Limiters limiters,
            ConfigurableListableBeanFactory beans,
            JobRegistry registry,
            ClientConfig config,
            EngineEnvironment environment) {
        List<JobShards.Shard> all = new ArrayList<>();
        all.add(new One("home", "home:6379, database 0", admin, client, batches, recurring, limiters));
        List<OtherInstallation> others = new ArrayList<>();
        char name = 'b';
        for (String address : addresses) {
            InstallationRedis redis = new InstallationRedis(address, "", "", "", "", "default", Map.of(), false);
            OtherInstallation other =
                    new OtherInstallation("test.shards.", redis, beans, registry, config, environment, List.of());
            others.add(other);
            all.add(new One(
                    String.valueOf(name++),
                    address.replace("redis://", "") + ", database 0",
                    other.admin(),
                    other.client(),
                    other.batches(),
                    other.recurring(),
                    limiters));
        }
        return new Shards(List.copyOf(all), others);
    }

    private record One(
            String name,
            String address,
            JobsAdmin admin,
            JobClient client,
            Batches batches,
            RecurringJobs recurring,
            Limiters limiters)
            implements JobShards.Shard {}

    /** Closes the connections that it made. */
    record Shards(List<JobShards.Shard> all, List<OtherInstallation> others) implements JobShards, AutoCloseable {

        @Override
        public ShardMap map() {
            Map<String, Set<String>> queues = new LinkedHashMap<>();
            all.forEach(shard -> queues.put(shard.name(), Set.of()));
            return ShardMap.placingOthers(
                    all.get(0).name(), queues, Map.of("orders", new Spread(SpreadBy.JID, queues.keySet())));
        }

        @Override
        public Shard get(String name) {
            return all.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(name));
        }

        @Override
        public void close() {
            others.forEach(OtherInstallation::close);
        }
    }
}
