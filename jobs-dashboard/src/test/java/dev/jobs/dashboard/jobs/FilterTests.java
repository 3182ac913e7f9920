package dev.jobs.dashboard.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What log lines say of the jobs that somebody selected. */
class FilterTests {

    @Test
    void namesItsConditionsAndHidesWhatMayBeConfidential() {
        Filter all = new Filter(
                "ada@example.com",
                "mail",
                "low",
                "no route to ada",
                "timeout",
                "nightly",
                Instant.parse("2026-11-01T00:00:00Z"),
                Instant.parse("2026-11-02T00:00:00Z"));

        assertThat(all)
                .hasToString("job=mail, queue=low, cause=timeout, tag=nightly, since=2026-11-01T00:00:00Z,"
                        + " until=2026-11-02T00:00:00Z, text=…, error=…");
    }

    @Test
    void saysThatItSelectsAll() {
        assertThat(new Filter(null, null, null, null, null, null, null, null)).hasToString("all");
    }
}
