package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import io.lettuce.core.RedisURI;
import java.util.Collection;
import java.util.Objects;
import java.util.stream.Collectors;
import org.springframework.beans.BeansException;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.StaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/** The address of a Redis: found in the application, shown to people, and as Lettuce takes it. */
@Internal
public final class RedisAddress {

    private RedisAddress() {}

    /** @throws JobDefinitionException if the factory doesn't reveal it */
    public static RedisConfiguration of(LettuceConnectionFactory application) {
        if (application.getClusterConfiguration() != null) {
            return application.getClusterConfiguration();
        }
        if (application.getSentinelConfiguration() != null) {
            return application.getSentinelConfiguration();
        }
        if (application.getSocketConfiguration() != null) {
            return application.getSocketConfiguration();
        }
        if (namesNoPrimary(application)) {
            throw new JobDefinitionException(
                    "Jobs needs to know the primary, and a list of nodes as in spring.data.redis.masterreplica.nodes or a "
                            + "RedisStaticMasterReplicaConfiguration does not name it",
                    "Use spring.data.redis.sentinel or spring.data.redis.url, or define a LettuceConnectionFactory bean named '"
                            + RedisFactories.OWN + "' that connects to the primary.");
        }
        RedisStandaloneConfiguration standalone = application.getStandaloneConfiguration();
        if (isUsedBy(application, standalone)) {
            return standalone;
        }
        throw new JobDefinitionException(
                "The LettuceConnectionFactory bean does not show where Redis is: it was created from a RedisConfiguration of unknown kind",
                "Create it from a RedisStandaloneConfiguration, RedisSentinelConfiguration or RedisClusterConfiguration, so that the "
                        + "compiler picks that constructor.");
    }

    /** The address of one server as Lettuce takes it: that of Spring Data, but without its name for {@code CLIENT LIST}. */
    static RedisURI uri(RedisStandaloneConfiguration server, LettuceClientConfiguration settings) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(server.getHostName())
                .withPort(server.getPort())
                .withDatabase(server.getDatabase())
                .withTimeout(settings.getCommandTimeout())
                .withSsl(settings.isUseSsl())
                .withVerifyPeer(settings.getVerifyMode())
                .withStartTls(settings.isStartTls());
        settings.getClientName().ifPresent(uri::withClientName);
        String user = server.getUsername();
        if (StringUtils.hasText(user)) {
            uri.withAuthentication(user, server.getPassword().toOptional().orElseGet(() -> new char[0]));
        } else {
            server.getPassword().toOptional().ifPresent(uri::withPassword);
        }
        settings.getRedisCredentialsProviderFactory()
                .ifPresent(each -> uri.withAuthentication(each.createCredentialsProvider(server)));
        return uri.build();
    }

    /** Where that is, for people; without user names and passwords. */
    public static String text(RedisConfiguration address) {
        String where = "an address of unknown kind";
        if (address instanceof RedisConfiguration.ClusterConfiguration cluster) {
            return "the cluster of " + nodes(cluster.getClusterNodes());
        }
        if (address instanceof RedisConfiguration.SentinelConfiguration sentinel) {
            where = "the primary that the sentinels " + nodes(sentinel.getSentinels()) + " name";
        } else if (address instanceof RedisConfiguration.WithDomainSocket socket) {
            where = socket.getSocket();
        } else if (address instanceof RedisConfiguration.WithHostAndPort server) {
            where = server.getHostName() + ":" + server.getPort();
        }
        return address instanceof RedisConfiguration.WithDatabaseIndex data
                ? where + ", database " + data.getDatabase()
                : where;
    }

    private static String nodes(Collection<RedisNode> nodes) {
        return nodes.stream().map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
    }

    /** The factory shows this nowhere, and has the default address instead. */
    private static boolean namesNoPrimary(LettuceConnectionFactory application) {
        try {
            return new DirectFieldAccessor(application).getPropertyValue("configuration")
                    instanceof StaticMasterReplicaConfiguration;
        } catch (BeansException e) {
            return false; // as in a native image, which has no such field
        }
    }

    /** Some constructors leave a default here that differs from the address that the factory connects to. */
    private static boolean isUsedBy(LettuceConnectionFactory application, RedisStandaloneConfiguration standalone) {
        String password = standalone.getPassword().map(String::new).orElse(null);
        return standalone.getHostName().equals(application.getHostName())
                && standalone.getPort() == application.getPort()
                && standalone.getDatabase() == application.getDatabase()
                && Objects.equals(password, application.getPassword());
    }
}
