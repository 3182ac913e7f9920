package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.faults.Pulse.Stall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The measure of what the machine did. */
class PulseTests {

    private static Stall stall(int from, int to) {
        return new Stall(Instant.EPOCH.plusSeconds(from), Instant.EPOCH.plusSeconds(to));
    }

    @Test
    void aStallThatWasMeantCountsForNothing() {
        assertThat(stall(10, 20).outside(List.of())).isEqualTo(Duration.ofSeconds(10));
        assertThat(stall(10, 20).outside(List.of(stall(5, 12), stall(14, 15)))).isEqualTo(Duration.ofSeconds(7));
        assertThat(stall(10, 20).outside(List.of(stall(1, 10), stall(20, 30)))).isEqualTo(Duration.ofSeconds(10));
        assertThat(stall(10, 20).outside(List.of(stall(1, 30)))).isEqualTo(Duration.ZERO);
    }

    @Test
    void aStallIsReadAsItWasWritten() {
        assertThat(Stall.parse(stall(1, 2).toString())).isEqualTo(stall(1, 2));
    }
}
