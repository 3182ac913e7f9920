package dev.jobs.lists;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.jobs.testing.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What broken keys log. */
class BrokenKeysTests {

    @RegisterExtension
    private final LogLines lines = LogLines.of(BrokenKeys.class);

    private final BrokenKeys keys = new BrokenKeys();

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
        assertThat(lines.events())
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
        assertThat(lines.events()).hasSize(4);
    }
}
