package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ServerInfoTests {

    @Test
    void readsRedis() {
        assertThat(
                        ServerInfo.parse(
                                "# Server\r\nredis_version:7.0.15\r\nserver_time_usec:1795237556186001\r\nuptime_in_seconds:61\r\n\r\n# Memory\r\nused_memory:1000\r\n"
                                        + "used_memory_peak:2000\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\nconnected_clients:3\r\n"))
                .isEqualTo(new ServerInfo(
                        "redis",
                        "7.0.15",
                        Duration.ofSeconds(61),
                        1_000L,
                        2_000L,
                        0L,
                        "allkeys-lru",
                        3L,
                        Instant.parse("2026-11-21T05:05:56.186001Z")));
    }

    @Test
    void readsTheVersionOfAServerThatIsNotRedis() {
        ServerInfo server = ServerInfo.parse("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n");

        assertThat(server.name()).isEqualTo("valkey");
        assertThat(server.version()).isEqualTo("8.0.1");
    }

    @Test
    void missingAndOddValuesAreNull() {
        assertThat(ServerInfo.parse("used_memory:lots\n:\nnonsense\nuptime_in_seconds:"))
                .isEqualTo(new ServerInfo("redis", null, null, null, null, null, null, null, null));
    }
}
