package dev.jobs.unique;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.testing.LogLines;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DuplicateLinesTests {

    @RegisterExtension
    final LogLines lines = LogLines.of(Duplicates.class);

    private Instant now = Instant.EPOCH;

    private final DuplicateLines duplicates = Duplicates.lines(new Clock() {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    });

    private void refused(String lock) {
        duplicates.refused(lock, "sync", 1, "Job sync is a duplicate of " + lock);
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    @Test
    void manyOfOneLockAreOneLineAMinuteWithTheirNumber() {
        for (int call = 0; call < 12_000; call++) { // two minutes
            refused("a");
            pass(Duration.ofMillis(10));
        }
        assertThat(lines.messages())
                .containsExactly(
                        "Job sync is a duplicate of a",
                        "Job sync is a duplicate of a; duplicates since the last such line: 5999");
    }

    @Test
    void eachLockHasItsOwnLine() {
        refused("a");
        refused("b");
        refused("a");
        assertThat(lines.messages()).containsExactly("Job sync is a duplicate of a", "Job sync is a duplicate of b");
    }

    @Test
    void theRestIsToldWhenAnotherLockRefusesLaterAndAtTheEnd() {
        refused("a");
        refused("a");
        pass(Duration.ofMinutes(1));
        refused("b");
        refused("b");
        refused("b");
        duplicates.close();
        assertThat(lines.messages())
                .containsExactly(
                        "Job sync is a duplicate of a",
                        "Calls of job sync that were refused as duplicates since the line that said so: 1",
                        "Job sync is a duplicate of b",
                        "Calls of job sync that were refused as duplicates since the line that said so: 2");
    }

    @Test
    void aThousandLocksAreRememberedAndTheOldestIsForgottenFirst() {
        for (int lock = 0; lock < 1_001; lock++) {
            refused("lock " + lock);
        }
        lines.clear();
        refused("lock 1000");
        refused("lock 1");
        assertThat(lines.messages()).isEmpty();
        refused("lock 0");
        assertThat(lines.messages())
                .containsExactly(
                        "Calls of job sync that were refused as duplicates since the line that said so: 1",
                        "Job sync is a duplicate of lock 0");
    }

    @Test
    void aClockThatGoesBackKeepsNothingSilent() {
        pass(Duration.ofDays(1));
        refused("a");
        now = Instant.EPOCH;
        refused("a");
        assertThat(lines.messages()).hasSize(2);
    }
}
