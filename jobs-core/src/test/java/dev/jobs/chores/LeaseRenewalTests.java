package dev.jobs.chores;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.jobs.chores.LeaseRenewal.RoundTrips;
import dev.jobs.testing.LogLines;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A slow Redis is logged once. */
@Tag("sidekiq-13.6")
class LeaseRenewalTests {

    @RegisterExtension
    private final LogLines lines = LogLines.of(LeaseRenewal.class);

    private final RoundTrips roundTrips = new RoundTrips();

    private void took(long... micros) {
        for (long each : micros) {
            roundTrips.took(each);
        }
    }

    @Test
    void knowsTheLastOne() {
        took(60_000, 408);
        assertThat(roundTrips.lastMicros()).isEqualTo(408);
    }

    @Test
    void fiveSlowOnesInARowAreAnIncidentWhichAQuickOneEnds() {
        took(50_001, 90_000, 60_000, 70_000);
        assertThat(said()).isEmpty();
        took(123_456, 80_000, 80_000, 80_000, 80_000, 80_000);
        assertThat(said()).singleElement().asString().contains("five", "123,456");
        took(400, 80_000, 80_000, 80_000, 80_000);
        assertThat(said()).hasSize(1);
        took(80_000);
        assertThat(said()).hasSize(2);
    }

    @Test
    void fiftyMillisecondsAreQuickEnough() {
        took(50_000, 50_000, 50_000, 50_000, 50_000, 50_000);
        assertThat(said()).isEmpty();
    }

    private List<String> said() {
        assertThat(lines.events())
                .allSatisfy(line -> assertThat(line.getLevel()).isEqualTo(Level.WARN));
        return lines.messages();
    }
}
