package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.ServerSupport.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerSupportTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis_version:6.2.7",
                "redis_version:7.0.15",
                "redis_version:7.4.1",
                "redis_version:8.6.3",
                "redis_version:10.0.0",
                "redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.1.2",
                "redict_version:7.3.6\r\nredis_version:7.2.4",
                "",
                "redis_version:unstable"
            })
    void saysNothingOfTestedServersAndOfUnknownVersions(String info) {
        assertThat(support(info)).isEqualTo(new ServerSupport(Level.SUPPORTED, ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"6.0.16", "6.0.5", "5.0.14", "6.1.240"})
    void namesWhatAnOldServerLacks(String version) {
        ServerSupport support = support("redis_version:" + version);

        assertThat(support.level()).isEqualTo(Level.UNSUITABLE);
        assertThat(support.message())
                .startsWith("This server is Redis " + version + ", and Jobs needs Redis 6.2 or later: ")
                .contains("ZMSCORE", "limits, ordered queues");
    }

    @Test
    void namesWhatKeyDbLacks() {
        ServerSupport support = support("redis_version:6.3.4\r\nserver_threads:1\r\nmvcc_depth:0");

        assertThat(support.level()).isEqualTo(Level.UNSUITABLE);
        assertThat(support.message())
                .startsWith("This server is KeyDB 6.3.4, which Jobs does not support: ")
                .contains("behind a blocking one");
    }

    @Test
    void namesAServerThatIsNotTested() {
        ServerSupport support = support("redis_version:7.4.0\r\ndragonfly_version:df-v1.30.0");

        assertThat(support.level()).isEqualTo(Level.UNTESTED);
        assertThat(support.message()).startsWith("This server is dragonfly df-v1.30.0, on which Jobs is not tested");
    }

    private static ServerSupport support(String info) {
        return ServerSupport.of(ServerFacts.of(info));
    }
}
