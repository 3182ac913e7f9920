package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.Internal;
import dev.jobs.redis.AsyncRedisClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisServer;
import dev.jobs.redis.RedisServer.Setting;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Our own Redis client, for the server, credentials and certificates of the application's connection factory. A long
 * command or a blocked network thread of the application can't delay a worker's heartbeat, and the application's
 * connections stay as they are.
 *
 * <p>It wraps a connection factory instead of being one, so injection by type and the {@code redis} health stay as they
 * are, too.
 */
@Internal
public final class JobsRedisClient implements SmartLifecycle, InitializingBean, DisposableBean {

    private final RedisConfiguration address;
    private final LettuceConnectionFactory factory;
    private final OwnThreads threads;
    private final Function<Setting, String> names;

    private JobsRedisClient(
            RedisConfiguration address,
            LettuceClientConfiguration settings,
            OwnThreads threads,
            Function<Setting, String> names) {
        this.names = names;
        this.address = address;
        this.factory = new Factory(address, settings);
        this.threads = threads;
    }

    /**
     * Makes a client like that of the application.
     *
     * @param timeout how long a command may take
     * @param names where users find the settings
     */
    static JobsRedisClient like(LettuceConnectionFactory application, Duration timeout, RedisSettings names) {
        return of(RedisAddress.of(application), application.getClientConfiguration(), timeout, names);
    }

    /** Makes a client for an address, with the settings of another client. */
    static JobsRedisClient of(
            RedisConfiguration address,
            LettuceClientConfiguration model,
            Duration timeout,
            Function<Setting, String> names) {
        OwnThreads threads = OwnThreads.beside(model.getClientResources().orElse(null));
        ClientOptions options = model.getClientOptions().orElseGet(ClientOptions::create);
        return of(address, model, options, timeout, threads, names);
    }

    /**
     * Makes a client for another address on the threads of this one, which has to be destroyed after it.
     *
     * @param own its client options, with certificates and those of the socket; null for those of this client
     */
    public JobsRedisClient beside(
            RedisConfiguration other,
            LettuceClientConfiguration model,
            @Nullable ClientOptions own,
            Duration timeout,
            Function<Setting, String> setting) {
        ClientOptions options = own == null ? settings().getClientOptions().orElseThrow() : own;
        return of(other, model, options, timeout, threads.borrowed(), setting);
    }

    private static JobsRedisClient of(
            RedisConfiguration address,
            LettuceClientConfiguration model,
            ClientOptions options,
            Duration timeout,
            OwnThreads threads,
            Function<Setting, String> names) {
        boolean convert = address instanceof RedisClusterConfiguration && !(options instanceof ClusterClientOptions);
        ClientOptions fitting = convert ? ClusterClientOptions.builder(options).build() : options;
        ClientOptions safe = RedisConnections.options(fitting, timeout);
        return new JobsRedisClient(
                address, settings(model, forSocket(address, safe), timeout, threads.resources()), threads, names);
    }

    /** A Unix socket has no keep-alive, and Netty warns three times at each attempt to set it. */
    private static ClientOptions forSocket(RedisConfiguration address, ClientOptions options) {
        return RedisConfiguration.isDomainSocketConfiguration(address)
                ? options.mutate()
                        .socketOptions(options.getSocketOptions()
                                .mutate()
                                .keepAlive(false)
                                .build())
                        .build()
                : options;
    }

    private static LettuceClientConfiguration settings(
            LettuceClientConfiguration model, ClientOptions options, Duration timeout, ClientResources resources) {
        LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
                .clientName("jobs")
                .commandTimeout(timeout)
                .shutdownTimeout(model.getShutdownTimeout())
                .shutdownQuietPeriod(model.getShutdownQuietPeriod())
                .clientOptions(options)
                .clientResources(resources);
        model.getRedisCredentialsProviderFactory().ifPresent(builder::redisCredentialsProviderFactory);
        if (model.isUseSsl()) {
            LettuceSslClientConfigurationBuilder ssl = builder.useSsl().verifyPeer(model.getVerifyMode());
            if (model.isStartTls()) {
                ssl.startTls();
            }
        }
        return builder.build();
    }

    /** @throws IllegalStateException while it is stopped; a restart creates another client */
    public AbstractRedisClient client() {
        try {
            return factory.getRequiredNativeClient();
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "The connections of Jobs to Redis are stopped, as their application context is, so nothing was sent. Enqueue while it "
                            + "runs: from a SmartLifecycle with a phase above 0, not from a destroy method",
                    e);
        }
    }

    /** Makes the client usable before the context starts its lifecycle beans; nothing connects yet. */
    @Override
    public void afterPropertiesSet() {
        factory.afterPropertiesSet();
    }

    public LettuceClientConfiguration settings() {
        return factory.getClientConfiguration();
    }

    public RedisConfiguration address() {
        return address;
    }

    /** The server, for messages. */
    public RedisServer server() {
        return new RedisServer(RedisAddress.text(address), settings().isUseSsl(), names);
    }

    @Override
    public void start() {
        factory.start();
    }

    @Override
    public void stop() {
        factory.stop();
    }

    @Override
    public boolean isRunning() {
        return factory.isRunning();
    }

    /** The phase of every connection factory: started before its users and stopped after them. */
    @Override
    public int getPhase() {
        return factory.getPhase();
    }

    @Override
    public void destroy() {
        factory.destroy();
        threads.close();
    }

    /** Creates a client with asynchronous commands only if it leads to one server. */
    private static final class Factory extends LettuceConnectionFactory {

        private final RedisConfiguration address;

        Factory(RedisConfiguration address, LettuceClientConfiguration settings) {
            super(address, settings);
            this.address = address;
        }

        @Override
        protected AbstractRedisClient createClient() {
            if (!(address instanceof RedisStandaloneConfiguration server)) {
                return super.createClient();
            }
            LettuceClientConfiguration settings = getClientConfiguration();
            AsyncRedisClient client = new AsyncRedisClient(
                    settings.getClientResources().orElseThrow(), RedisAddress.uri(server, settings));
            client.setOptions(settings.getClientOptions().orElseThrow());
            return client;
        }
    }

    /**
     * The application's resources with our own network threads.
     *
     * @param network our threads; null if they are borrowed from another client
     * @param owned resources created for us, since the application has none
     */
    private record OwnThreads(
            ClientResources resources,
            @Nullable EventLoopGroupProvider network,
            @Nullable ClientResources owned) {

        static OwnThreads beside(@Nullable ClientResources application) {
            ClientResources base = application == null ? DefaultClientResources.create() : application;
            EventLoopGroupProvider network = new DefaultEventLoopGroupProvider(base.ioThreadPoolSize());
            // Resources named here count as borrowed, so our shutdown doesn't close the application's own.
            ClientResources resources = RedisConnections.resources(base)
                    .mutate()
                    .eventLoopGroupProvider(network)
                    .eventExecutorGroup(base.eventExecutorGroup())
                    .timer(base.timer())
                    .commandLatencyRecorder(base.commandLatencyRecorder())
                    .build();
            return new OwnThreads(resources, network, application == null ? base : null);
        }

        OwnThreads borrowed() {
            return new OwnThreads(resources, null, null);
        }

        void close() {
            if (network == null) {
                return;
            }
            resources.shutdown();
            network.shutdown(0, 2, TimeUnit.SECONDS);
            if (owned != null) {
                owned.shutdown();
            }
        }
    }
}
