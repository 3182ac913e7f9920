package dev.jobs.spring.autoconfigure.gauges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ScrapesTests {

    private static final long WATCHED = Scrapes.WATCHED.toNanos();

    private final AtomicInteger begun = new AtomicInteger();

    /** A refresh may find the look before too old after this look has read the time, and end. */
    @Test
    void aLookAtTheVeryEndOfTheTimeBeginsAnew() {
        Deque<Long> times = new ArrayDeque<>(List.of(0L, WATCHED - 1, WATCHED));
        Scrapes scrapes = new Scrapes(times::remove);
        scrapes.onFirst(begun::incrementAndGet);
        scrapes.looked();
        assertThat(begun).hasValue(1);

        scrapes.looked();
        assertThat(begun).hasValue(2);
    }

    @Test
    void whatFailedIsBegunByTheNextLook() {
        Scrapes scrapes = new Scrapes(() -> 0);
        scrapes.onFirst(() -> {
            if (begun.incrementAndGet() == 1) {
                throw new IllegalStateException("no thread");
            }
        });

        assertThatThrownBy(scrapes::looked).hasMessage("no thread");
        assertThat(scrapes.areRecent()).isFalse();

        scrapes.looked();
        assertThat(begun).hasValue(2);
        assertThat(scrapes.areRecent()).isTrue();
        scrapes.looked();
        assertThat(begun).hasValue(2);
    }
}
