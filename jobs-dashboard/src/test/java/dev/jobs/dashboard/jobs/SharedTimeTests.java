package dev.jobs.dashboard.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.admin.ScanBudget;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SharedTimeTests {

    private long now = Long.MAX_VALUE - 5_000_000;

    private final SharedTime time = new SharedTime(Duration.ofMillis(60), 3, () -> now);

    /** A search that takes so long, whatever it may take. */
    private Duration search(long millis) {
        Duration given = time.next(10).time();
        now += Duration.ofMillis(millis).toNanos();
        return given;
    }

    @Test
    void placesThatEndEarlyLeaveTheirTimeToTheOthers() {
        assertThat(search(0)).isEqualTo(Duration.ofMillis(20));
        assertThat(search(10)).isEqualTo(Duration.ofMillis(30));
        assertThat(search(50)).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void placesThatTakeAllLeaveNothing() {
        assertThat(search(70)).isEqualTo(Duration.ofMillis(20));
        assertThat(time.next(7)).isEqualTo(new ScanBudget(7, Duration.ZERO));
        assertThat(search(1)).isZero();
        assertThat(search(1)).as("one more than there are").isZero();
    }
}
