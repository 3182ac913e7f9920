package dev.jobs.unique;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.client.PayloadRules;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When jobs are stored that had to wait for a commit. */
class DebounceTests {

    private static final Instant NOW = Instant.ofEpochSecond(1_795_000_000);

    private final PayloadRules rules = new PayloadRules(1_000, PayloadTimes.MILLISECONDS);

    private @Nullable String due(double at, Map<String, Object> more) {
        Map<String, Object> members =
                new HashMap<>(Map.of("class", "A", "args", List.of(), "jid", "j1", "queue", "mail", "at", at));
        members.putAll(more);
        return rules.finish(rules.check(Payload.of(members)), NOW).at();
    }

    @Test
    void aDebouncedJobWaitsFromItsCommit() {
        Map<String, Object> debounced = Map.of("debounce", "K", "debounce_pause", 5, "debounce_at_most", 60);
        assertThat(due(1_795_000_003, debounced)).isEqualTo("1795000003.000000");
        assertThat(due(1_794_999_990, debounced)).as("its pause is over").isEqualTo("1795000005.000000");
        assertThat(due(1_794_999_990, Map.of())).as("another one is due").isNull();
    }
}
