package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadAheadTests {

    private static final long WINDOW = ReadAhead.WINDOW.toNanos();

    private final ReadAhead ahead = new ReadAhead(0);

    @Test
    void takes_nothing_ahead_before_anything_has_ended() {
        assertThat(ahead.jobs(0)).isZero();
        assertThat(ahead.jobs(WINDOW)).isZero();
    }

    @Test
    void takes_as_many_as_ended_just_now() {
        ahead.ended(40, 5);
        ahead.ended(30, 5);
        assertThat(ahead.jobs(5)).isEqualTo(70);
    }

    @Test
    void forgets_what_ended_long_ago() {
        ahead.ended(100, 0);
        assertThat(ahead.jobs(WINDOW)).isEqualTo(36);
        assertThat(ahead.jobs(5 * WINDOW)).isZero();
    }

    @Test
    void settles_where_as_many_end_as_fade() {
        for (int millis = 0; millis < 100; millis++) {
            ahead.ended(5, millis * 1_000_000L);
        }
        assertThat(ahead.jobs(99_000_000L)).isBetween(50, 55);
    }

    @Test
    void has_a_limit_and_comes_down_from_it_as_from_any_number() {
        ahead.ended(1_000_000, 0);
        assertThat(ahead.jobs(0)).isEqualTo(ReadAhead.MOST);
        assertThat(ahead.jobs(6 * WINDOW)).isZero();
    }

    @Test
    void has_none_where_jobs_take_long() {
        for (int second = 1; second < 10; second++) {
            ahead.ended(1, second * 1_000_000_000L);
            assertThat(ahead.jobs(second * 1_000_000_000L + 3 * WINDOW)).isZero();
        }
    }
}
