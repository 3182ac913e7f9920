package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What broken keys log. */
class BrokenKeysTests {

    private final Logger log = (Logger) LoggerFactory.getLogger(BrokenKeys.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final BrokenKeys keys = new BrokenKeys();

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void stop() {
        log.detachAppender(lines);
    }

    private boolean check(boolean broken) {
        return keys.check(key -> broken);
    }

    @Test
    void anAnswerFromBeforeTheRepairIsNoSecondIncident() {
        keys.queue("q");
        check(true);
        assertThat(check(false)).isTrue();
        keys.queue("q"); // late
        assertThat(keys.all()).hasSize(1);
        assertThat(check(false)).isTrue();
        assertThat(check(false)).isFalse();

        assertThat(keys.all()).isEmpty();
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("The key of queue q is not a list"),
                        last -> assertThat(last).isEqualTo("The key of queue q is repaired"));
    }

    @Test
    void aKeyThatIsBrokenAgainIsSaidAgain() {
        for (int i = 0; i < 2; i++) {
            keys.queue("q");
            check(false);
            check(true);
            assertThat(check(false)).isTrue();
            check(false);
        }
        assertThat(lines.list).hasSize(4);
    }
}
