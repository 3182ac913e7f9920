package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.SecurityReleases.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecurityReleasesTests {

    private static final String OWN = "executable:/usr/bin/redis-server\r\nconfig_file:/etc/redis/redis.conf\r\n";

    static final List<Line> LINES = SecurityReleases.LINES;

    @ParameterizedTest
    @FieldSource("LINES")
    void eachLineIsWarnedOfUpToItsPatchedRelease(Line line) {
        assertThat(warning(line, line.name() + ".0")).hasValueSatisfying(text -> assertThat(text)
                .startsWith("This server is " + line.called() + " " + line.name() + ".0, which lacks fixes")
                .contains("se " + line.patched() + " or later"));
        if (line.ended()) {
            assertThat(warning(line, line.name() + ".99")).isPresent();
        } else {
            int patch = Integer.parseInt(line.patched().substring(line.name().length() + 1));
            assertThat(warning(line, line.name() + "." + (patch - 1))).isPresent();
            assertThat(warning(line, line.patched())).isEmpty();
            assertThat(warning(line, line.name() + "." + (patch + 1))).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"redis, 7.2.14", "valkey, 7.2.13", "redis, 8.10.1", "redis, 7.0.15"})
    void namesOfTwoProductsAndTheTenthMinorVersionAreToldApart(String product, String version) {
        assertThat(SecurityReleases.warning(facts(product, version, OWN))).isPresent();
    }

    @ParameterizedTest
    @CsvSource({"valkey, 7.2.14", "redis, 8.12.0", "redis, 10.0.0", "valkey, 10.0.0", "redict, 7.3.0"})
    void linesThatAreNotListedAreNotJudged(String product, String version) {
        assertThat(SecurityReleases.warning(facts(product, version, OWN))).isEmpty();
    }

    /** These say nothing of their program. */
    @ParameterizedTest
    @ValueSource(strings = {"", "executable:-\r\nconfig_file:\r\n", "executable:\r\n", "os:Amazon ElastiCache\r\n"})
    void managedServicesAreNotJudged(String more) {
        assertThat(SecurityReleases.warning(facts("redis", "7.1.0", more))).isEmpty();
        assertThat(SecurityReleases.warning(facts("redis", "7.0.15", more))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "redis_version:unstable\r\n", "redis_version:7.2\r\n", "redis_version:255.255.255\r\n"})
    void whatSaysNoVersionIsNotJudged(String info) {
        assertThat(SecurityReleases.warning(ServerFacts.of(info + OWN))).isEmpty();
    }

    @Test
    void theEmbeddedServerIsNotJudged() {
        String embedded = "executable:/usr/bin/redis-server\r\nconfig_file:/tmp/jobs-embedded-redis-12/redis.conf\r\n";

        assertThat(SecurityReleases.warning(facts("redis", "7.0.15", embedded))).isEmpty();
    }

    @Test
    void theDocumentedTableIsThisOne() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "servers.md"));

        for (Line line : LINES) {
            assertThat(page)
                    .contains("| " + line.called() + " " + line.name() + " | " + (line.ended() ? "none; use " : "")
                            + line.patched() + " |");
        }
        assertThat(page.lines().filter(row -> row.matches("\\| (Redis|Valkey) \\d+\\.\\d+ \\|.*")))
                .hasSize(LINES.size());
    }

    private static Optional<String> warning(Line line, String version) {
        return SecurityReleases.warning(facts(line.product(), version, OWN));
    }

    private static ServerFacts facts(String product, String version, String more) {
        String other = product.equals("redis")
                ? "redis_version:" + version
                : "redis_version:7.2.4\r\nserver_name:" + product + "\r\n" + product + "_version:" + version;
        return ServerFacts.of(other + "\r\n" + more);
    }
}
