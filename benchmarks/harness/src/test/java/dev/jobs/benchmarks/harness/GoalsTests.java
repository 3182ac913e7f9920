package dev.jobs.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a run of one round says of the goals for the starter. */
class GoalsTests {

    @TempDir
    Path folder;

    @Test
    void whatTheStarterCostsBeyondRedisIsBoundedByTheLibraries() throws IOException {
        JsonNode goal =
                goal("starter: CPU until ready, s more than Redis alone", "starter: CPU until ready, s", 3, 3.7, 5);
        assertThat(goal.at("/by_round/1").asDouble()).isEqualTo(2);
        assertThat(goal.at("/bare_by_round/1").asDouble()).isEqualTo(3.7 - 3);
        assertThat(goal.path("verdict").asString()).isEqualTo("out of reach");
    }

    @Test
    void librariesThatMeetAGoalLeaveItInReach() throws IOException {
        JsonNode goal =
                goal("starter: CPU until ready, s more than Redis alone", "starter: CPU until ready, s", 3, 3.5, 5);
        assertThat(goal.path("verdict").asString()).isEqualTo("missed");
    }

    @Test
    void theMemoryOfTheStarterIsBoundedByThatOfTheLibraries() throws IOException {
        JsonNode goal = goal("starter: resident, MiB", "starter: resident, MiB", 150, 170, 180);
        assertThat(goal.at("/bare_by_round/1").asDouble()).isEqualTo(170);
        assertThat(goal.path("verdict").asString()).isEqualTo("out of reach");
    }

    private JsonNode goal(String title, String table, double redis, double libraries, double starter)
            throws IOException {
        Options options = new Options(
                folder, 1, false, false, true, Set.of("starter"), Set.of(), Figure.JOBS, null, "ruby", null);
        Path file = folder.resolve("goals.json");
        try (Results results = new Results(nowhere(), folder.resolve("results.jsonl"), Figure.JOBS)) {
            results.value(table, StarterMeasurement.REDIS, 1, redis);
            results.value(table, StarterMeasurement.LIBRARIES, 1, libraries);
            results.value(table, StarterMeasurement.WITH, 1, starter);
            new Goals(options, results).write(file, new Machine("", "", 1, "", ""), Instant.EPOCH);
        }
        return StreamSupport.stream(
                        new JsonMapper().readTree(file).path("goals").spliterator(), false)
                .filter(goal -> goal.path("title").asString().equals(title))
                .findFirst()
                .orElseThrow();
    }

    private static PrintStream nowhere() {
        return new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    }
}
