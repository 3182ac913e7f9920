package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.RedisConnectionException;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectErrorsTests {

    private final ConnectErrors errors = new ConnectErrors(
            new RedisServer("localhost:6379", false, setting -> "the setting " + setting), Duration.ofSeconds(1));

    /** The same end of a connection reaches us as another error each, by how far Lettuce had come. */
    static Stream<Exception> hungUp() {
        return Stream.of(
                new IOException("Connection reset by peer"),
                new RedisConnectionException("Connection closed prematurely"),
                new IllegalStateException("RedisHandshakeHandler not registered"));
    }

    @ParameterizedTest
    @MethodSource
    void hungUp(Exception cause) {
        JobStoreException translated = errors.translate(new RedisConnectionException("Unable to connect", cause));

        assertThat(translated.kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(translated)
                .hasMessageContaining("Redis can't be reached at localhost:6379: ")
                .hasMessageContaining("If it uses TLS, check the setting TLS")
                .hasMessageNotContaining("Handler");
    }
}
