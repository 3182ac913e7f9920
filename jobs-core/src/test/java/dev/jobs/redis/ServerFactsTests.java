package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerFactsTests {

    /** As these servers answered. */
    @ParameterizedTest
    @CsvSource({
        "redis_version:6.0.16;redis_git_sha1:00000000;redis_mode:standalone;gcc_version:10.2.1, redis, 6.0.16",
        "redis_version:6.2.7;redis_git_sha1:00000000;redis_mode:standalone;gcc_version:11.2.1, redis, 6.2.7",
        "redis_version:7.0.15;redis_git_sha1:00000000;redis_mode:standalone, redis, 7.0.15",
        "redis_version:7.4.1;redis_git_sha1:00000000;redis_mode:standalone;gcc_version:12.2.0, redis, 7.4.1",
        "redis_version:8.6.3;redis_git_sha1:00000000;redis_mode:standalone;gcc_version:15.2.0, redis, 8.6.3",
        "redis_version:7.2.4;server_name:valkey;valkey_version:8.0.1;server_mode:standalone, valkey, 8.0.1",
        "redis_version:7.2.4;server_name:valkey;valkey_version:9.1.2;valkey_release_stage:ga, valkey, 9.1.2",
        "redict_version:7.3.6;redict_git_sha1:00000000;redict_mode:standalone;redis_version:7.2.4, redict, 7.3.6",
        "redis_version:6.3.4;redis_git_sha1:00000000;redis_mode:standalone;server_threads:1;mvcc_depth:0, keydb, 6.3.4"
    })
    void tellsProductAndVersion(String info, String product, String version) {
        ServerFacts facts = ServerFacts.of("# Server\r\n" + info.replace(";", "\r\n") + "\r\n");

        assertThat(facts.product()).isEqualTo(product);
        assertThat(facts.version()).isEqualTo(version);
    }

    @Test
    void nothingIsKnownOfAServerThatSaysNothing() {
        ServerFacts facts = ServerFacts.of("# Server\r\n:\r\nnonsense\r\n");

        assertThat(facts.product()).isEqualTo("redis");
        assertThat(facts.version()).isNull();
        assertThat(facts.get("maxmemory_policy")).isNull();
    }
}
