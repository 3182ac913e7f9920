package dev.jobs.embeddedredis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

class EmbeddedRedisHintsTests {

    @Test
    void aNativeImageHasTheServerInIt() {
        RuntimeHints hints = new RuntimeHints();

        new EmbeddedRedisHints().registerHints(hints, null);

        assertThat(RuntimeHintsPredicates.resource().forResource("redis-server-7.0.15-linux-amd64"))
                .accepts(hints);
    }
}
