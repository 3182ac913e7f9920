package dev.jobs.spring.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

class RedisAddressTests {

    /** What an address of Lettuce has. That of Spring also names Spring Data, for {@code CLIENT LIST}. */
    private record Content(List<Object> values, List<Object> credentials) {

        static Content of(RedisURI uri) {
            RedisCredentials credentials =
                    uri.getCredentialsProvider().resolveCredentials().block();
            List<Object> known = new ArrayList<>();
            if (credentials != null) {
                known.add(String.valueOf(credentials.getUsername()));
                known.add(Arrays.toString(credentials.getPassword()));
            }
            return new Content(
                    List.of(
                            uri.getHost(),
                            uri.getPort(),
                            uri.getDatabase(),
                            uri.getTimeout(),
                            uri.isSsl(),
                            uri.isStartTls(),
                            uri.getVerifyMode(),
                            String.valueOf(uri.getClientName()),
                            uri.getSentinels()),
                    known);
        }
    }

    static Stream<RedisStandaloneConfiguration> servers() {
        RedisStandaloneConfiguration plain = new RedisStandaloneConfiguration("redis.example", 6390);
        RedisStandaloneConfiguration password = new RedisStandaloneConfiguration("redis.example", 6390);
        password.setPassword("secret@/:");
        password.setDatabase(3);
        RedisStandaloneConfiguration user = new RedisStandaloneConfiguration("::1", 6390);
        user.setUsername("jobs");
        user.setPassword("secret");
        RedisStandaloneConfiguration withoutPassword = new RedisStandaloneConfiguration("redis.example", 6390);
        withoutPassword.setUsername("jobs");
        return Stream.of(plain, password, user, withoutPassword);
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aServerHasTheAddressThatSpringGivesIt(RedisStandaloneConfiguration server) {
        LettuceClientConfiguration plain = LettuceClientConfiguration.builder()
                .commandTimeout(Duration.ofMillis(1_234))
                .build();
        LettuceClientConfiguration named =
                LettuceClientConfiguration.builder().clientName("jobs").build();
        LettuceClientConfiguration safe =
                LettuceClientConfiguration.builder().useSsl().build();
        LettuceClientConfiguration careless = LettuceClientConfiguration.builder()
                .useSsl()
                .verifyPeer(SslVerifyMode.CA)
                .startTls()
                .build();
        for (LettuceClientConfiguration settings : List.of(plain, named, safe, careless)) {
            assertThat(Content.of(RedisAddress.uri(server, settings)))
                    .isEqualTo(Content.of(uriOfSpring(server, settings)));
        }
    }

    @Test
    void credentialsOfAProviderCountForMore() {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("redis.example", 6390);
        server.setPassword("old");
        LettuceClientConfiguration settings = LettuceClientConfiguration.builder()
                .redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {
                    @Override
                    public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
                        return RedisCredentialsProvider.from(() -> RedisCredentials.just("rotated", "fresh"));
                    }
                })
                .build();

        Content content = Content.of(RedisAddress.uri(server, settings));

        assertThat(content).isEqualTo(Content.of(uriOfSpring(server, settings)));
        assertThat(content.credentials()).contains("rotated");
    }

    private static RedisURI uriOfSpring(RedisStandaloneConfiguration server, LettuceClientConfiguration settings) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(server, settings);
        factory.afterPropertiesSet();
        factory.start();
        try {
            RedisClient client = (RedisClient) factory.getRequiredNativeClient();
            return (RedisURI) new DirectFieldAccessor(client).getPropertyValue("redisURI");
        } finally {
            factory.destroy();
        }
    }
}
