package dev.jobs.test;

import dev.jobs.embeddedredis.EmbeddedRedis;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import reactor.core.publisher.Mono;

/**
 * Lets the Redis that is started for an application without an address begin when the application opens its first
 * connection, if ever: the jobs of the test don't need it.
 */
@Configuration(proxyBeanMethods = false)
class RedisOnDemand {

    /** The bean that would start it. */
    private static final String DETAILS = "jobsEmbeddedRedisConnectionDetails";

    /** Stands for the server until it is started. */
    private static final String NAME = "embedded-redis-of-this-test.invalid";

    @Bean
    static BeanDefinitionRegistryPostProcessor jobsTestRedisName() {
        return RedisOnDemand::nameServer;
    }

    private static void nameServer(BeanDefinitionRegistry beans) {
        if (beans.containsBeanDefinition(DETAILS)) {
            beans.removeBeanDefinition(DETAILS);
            beans.registerBeanDefinition(DETAILS, new RootBeanDefinition(NamedDetails.class));
        }
    }

    static final class NamedDetails implements DataRedisConnectionDetails {

        @Override
        public Standalone getStandalone() {
            return Standalone.of(NAME, 6379);
        }
    }

    @Bean
    ClientResourcesBuilderCustomizer jobsTestRedisAddress(ObjectProvider<EmbeddedRedis> server) {
        return resources -> resources.socketAddressResolver(new Address(server::getObject));
    }

    private static final class Address extends SocketAddressResolver {

        private final Supplier<EmbeddedRedis> server;

        Address(Supplier<EmbeddedRedis> server) {
            super(DnsResolvers.UNRESOLVED);
            this.server = server;
        }

        @Override
        public SocketAddress resolve(RedisURI uri) {
            if (!NAME.equals(uri.getHost())) {
                return super.resolve(uri);
            }
            EmbeddedRedis started = server.get();
            return new InetSocketAddress(started.host(), started.port());
        }
    }

    @Bean
    LettuceClientConfigurationBuilderCustomizer jobsTestRedisCredentials(
            BeanFactory beans, ObjectProvider<EmbeddedRedis> server) {
        return client -> {
            if (beans.containsBean(DETAILS)) {
                client.redisCredentialsProviderFactory(new Credentials(server::getObject));
            }
        };
    }

    /** Those of its address. */
    private record Credentials(Supplier<EmbeddedRedis> server) implements RedisCredentialsProviderFactory {

        @Override
        public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration address) {
            return () -> Mono.defer(() ->
                    RedisURI.create(server.get().uri()).getCredentialsProvider().resolveCredentials());
        }
    }
}
