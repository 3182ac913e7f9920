package dev.jobs.chores;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PollIntervalTests {

    @ParameterizedTest
    @CsvSource({
        // processes, drawn, seconds: up to nine processes half to one and a half of the average, then none to twice
        "1, 0.0, 2.5",
        "1, 0.5, 5",
        "1, 1.0, 7.5",
        "9, 0.0, 22.5",
        "9, 1.0, 67.5",
        "10, 0.0, 0",
        "10, 0.5, 50",
        "10, 1.0, 100",
        "200, 0.25, 500"
    })
    @Tag("sidekiq-8")
    void eachProcessPollsLessOftenTheMoreThereAre(int processes, double drawn, double seconds) {
        assertThat(PollInterval.interval(Duration.ofSeconds(5), processes, drawn))
                .isEqualTo(Duration.ofMillis((long) (seconds * 1_000)));
    }
}
