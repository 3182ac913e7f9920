package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What an outage logs. */
class OutageTests {

    private final Logger log = (Logger) LoggerFactory.getLogger(Outage.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Outage outage = new Outage(() -> 0);

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void stop() {
        log.detachAppender(lines);
    }

    private void failed(String part, Kind kind, String message) {
        outage.failed(part, new JobStoreException(kind, message, null));
    }

    @Test
    void itsBeginningAndItsEndAreLoggedOnce() {
        failed("a", Kind.UNREACHABLE, "gone");
        failed("b", Kind.UNREACHABLE, "gone");
        outage.worked("a");
        outage.worked("b");

        assertThat(lines.list)
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

        assertThat(lines.list)
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
