package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThatCode;

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
        GaugeRefresh refresh = new GaugeRefresh("jobs-metrics", () -> {
            throw new Hostile();
        });
        assertThatCode(refresh::runOnce).doesNotThrowAnyException();
    }
}
