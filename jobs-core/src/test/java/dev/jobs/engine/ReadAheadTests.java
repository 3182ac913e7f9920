package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadAheadTests {

    private static final long WINDOW = ReadAhead.WINDOW.toNanos();

    private final ReadAhead ahead = new ReadAhead(0);

    @Test
    void takesNothingAheadBeforeAnythingHasEnded() {
        assertThat(ahead.jobs(0)).isZero();
        assertThat(ahead.jobs(WINDOW)).isZero();
    }

    @Test
    void takesAsManyAsEndedJustNow() {
        ahead.ended(40, 5);
        ahead.ended(30, 5);
        assertThat(ahead.jobs(5)).isEqualTo(70);
    }

    @Test
    void forgetsWhatEndedLongAgo() {
        ahead.ended(100, 0);
        assertThat(ahead.jobs(WINDOW)).isEqualTo(36);
        assertThat(ahead.jobs(5 * WINDOW)).isZero();
    }

    @Test
    void settlesWhereAsManyEndAsFade() {
        for (int millis = 0; millis < 100; millis++) {
            ahead.ended(5, millis * 1_000_000L);
        }
        assertThat(ahead.jobs(99_000_000L)).isBetween(50, 55);
    }

    @Test
    void hasALimitAndComesDownFromItAsFromAnyNumber() {
        ahead.ended(1_000_000, 0);
        assertThat(ahead.jobs(0)).isEqualTo(ReadAhead.MOST);
        assertThat(ahead.jobs(7 * WINDOW)).isZero();
    }

    @Test
    void hasNoneWhereJobsTakeLong() {
        for (int second = 1; second < 10; second++) {
            ahead.ended(1, second * 1_000_000_000L);
            assertThat(ahead.jobs(second * 1_000_000_000L + 3 * WINDOW)).isZero();
        }
    }
}
