package dev.jobs.threads;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.testing.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an outage logs. */
class OutageTests {

    @RegisterExtension
    private final LogLines lines = LogLines.of(Outage.class);

    private final Outage outage = new Outage(() -> 0);

    private void failed(String part, Kind kind, String message) {
        outage.failed(part, new JobStoreException(kind, message, null));
    }

    @Test
    void itsBeginningAndItsEndAreLoggedOnce() {
        failed("a", Kind.UNREACHABLE, "gone");
        failed("b", Kind.UNREACHABLE, "gone");
        outage.worked("a");
        outage.worked("b");

        assertThat(lines.events())
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(first -> assertThat(first).startsWith("gone (a)"), last -> assertThat(last)
                        .startsWith("Redis answers again"));
    }

    @Test
    void aDenialIsLoggedOnceInEachOutageAlsoAfterAnotherReason() {
        for (int i = 0; i < 2; i++) {
            failed("a", Kind.UNREACHABLE, "closed");
            failed("b", Kind.DENIED, "wrong password");
            failed("a", Kind.UNREACHABLE, "closed");
            failed("a", Kind.DENIED, "wrong password");
            assertThat(outage.error()).isEqualTo("wrong password");
            outage.worked("a");
            outage.worked("b");
        }

        assertThat(lines.events())
                .extracting(line -> line.getFormattedMessage()
                        .replaceAll("[.(].*| after.*", "")
                        .strip())
                .containsExactly(
                        "closed",
                        "wrong password",
                        "Redis answers again",
                        "closed",
                        "wrong password",
                        "Redis answers again");
    }
}
