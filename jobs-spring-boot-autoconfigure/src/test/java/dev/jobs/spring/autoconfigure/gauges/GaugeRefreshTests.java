package dev.jobs.spring.autoconfigure.gauges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

    @Test
    @Timeout(60)
    void hasAThreadOnlyWhileSomebodyLooks() throws Exception {
        AtomicBoolean watched = new AtomicBoolean();
        BlockingQueue<Thread> readers = new LinkedBlockingQueue<>();
        GaugeRefresh refresh =
                new GaugeRefresh("jobs-metrics", () -> readers.add(Thread.currentThread()), watched::get);
        refresh.start();
        try {
            Thread first = readers.take();
            first.join();

            watched.set(true);
            refresh.wake();
            Thread second = readers.take();
            assertThat(second.isAlive()).isTrue();
            refresh.wake();
            assertThat(readers.take()).isSameAs(second);

            watched.set(false);
            refresh.wake();
            second.join();
            assertThat(readers).isEmpty();
        } finally {
            GaugeRefresh.stop(List.of(refresh));
        }
    }
}
