package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BatchStatusTests {

    private static final Instant START = Instant.parse("2026-11-22T10:00:00Z");

    @Test
    void theVersionIsTheSameInEveryProcess() {
        // a fixed value: the hash codes of enums, for one, differ from process to process
        assertThat(batch(3, Map.of(BatchEvent.ATTEMPTED, START, BatchEvent.DIED, START))
                        .version())
                .isEqualTo("6d695dcd1865f44c");
    }

    @Test
    void theVersionDoesNotDependOnTheOrderOfEvents() {
        Map<BatchEvent, Instant> backwards = new LinkedHashMap<>();
        backwards.put(BatchEvent.DIED, START);
        backwards.put(BatchEvent.ATTEMPTED, START);

        BatchStatus one = batch(3, Map.of(BatchEvent.ATTEMPTED, START, BatchEvent.DIED, START));

        assertThat(batch(3, backwards).version()).isEqualTo(one.version());
        assertThat(one.events().keySet()).containsExactly(BatchEvent.ATTEMPTED, BatchEvent.DIED);
    }

    @Test
    void theVersionChangesWithCountersAndEvents() {
        assertThat(batch(3, Map.of()).version())
                .isEqualTo(batch(3, Map.of()).version())
                .isNotEqualTo(batch(4, Map.of()).version())
                .isNotEqualTo(batch(3, Map.of(BatchEvent.ATTEMPTED, START)).version());
    }

    @Test
    void whatFollowsFromItIsPartOfItsJson() {
        JsonMapper mapper = JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
        BatchStatus batch = batch(4, Map.of());

        String text = mapper.writeValueAsString(batch);

        JsonNode json = mapper.readTree(text);
        assertThat(json.at("/state").asString()).isEqualTo("RUNNING");
        assertThat(json.at("/finished").asBoolean(true)).isFalse();
        assertThat(json.at("/pending").asLong()).isEqualTo(6);
        assertThat(json.at("/ended").asLong()).isEqualTo(4);
        assertThat(json.at("/share").asDouble()).isEqualTo(0.4);
        assertThat(mapper.readValue(text, BatchStatus.class)).isEqualTo(batch);
    }

    private static BatchStatus batch(long succeeded, Map<BatchEvent, Instant> events) {
        return new BatchStatus(
                "0123456789abcdef",
                "enroll",
                "",
                List.of("seller:17"),
                "ann",
                null,
                null,
                false,
                false,
                10,
                10 - succeeded,
                0,
                succeeded,
                0,
                0,
                0,
                0,
                0,
                0,
                START,
                START,
                events,
                null,
                Map.of(BatchEvent.ATTEMPTED, BatchJobState.SUCCEEDED));
    }
}
