package dev.jobs.spring.autoconfigure.gauges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class GaugeRefreshTests {

    /** Its message throws, so it can't be logged. */
    private static final class Hostile extends RuntimeException {

        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    @Test
    void goesOnAfterAFailureThatThrowsWhenItIsLogged() {
        GaugeRefresh refresh = new GaugeRefresh(
                "jobs-metrics",
                () -> {
                    throw new Hostile();
                },
                () -> true);
        assertThatCode(refresh::runOnce).doesNotThrowAnyException();
    }

    @Test
    void readsAtTheStartAndThenOnlyWhileSomebodyLooks() {
        AtomicInteger readings = new AtomicInteger();
        AtomicLong nanos = new AtomicLong();
        Scrapes scrapes = new Scrapes(nanos::get);
        GaugeRefresh refresh = new GaugeRefresh("jobs-metrics", readings::incrementAndGet, scrapes::areRecent);
        scrapes.onFirst(refresh::runOnce);
        refresh.runOnce();
        assertThat(readings).hasValue(1);
        refresh.runOnce();
        assertThat(readings).as("nobody scrapes").hasValue(1);

        scrapes.looked();
        assertThat(readings).as("the first look").hasValue(2);
        scrapes.looked();
        assertThat(readings).hasValue(2);
        refresh.runOnce();
        assertThat(readings).hasValue(3);

        nanos.addAndGet(Scrapes.WATCHED.toNanos());
        refresh.runOnce();
        assertThat(readings).as("nobody scrapes any more").hasValue(3);
        scrapes.looked();
        assertThat(readings).hasValue(4);
    }
}
