package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.redis.Leases.Timing;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The lives of a process, one after the other. */
class LeaseTests {

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(Lease.class);
    private final Iterator<String> ids = List.of("first", "second", "third").iterator();
    private final Lease lease = new Lease(ids::next, new Timing(Duration.ofSeconds(20)), System::nanoTime);

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
    }

    @Test
    void a_life_that_was_given_up_is_followed_by_another_and_the_log_says_so_once() {
        Incarnation first = lease.current();
        lease.fenced(first);
        lease.fenced(first); // the fetcher and the beat may both hear of it
        assertThat(first.isLost()).isTrue();
        assertThat(lease.current().id()).isEqualTo("second");
        assertThat(said())
                .containsExactly(
                        "first was given up, because it did not beat for too long; it goes on under a new identity");
    }

    @Test
    void the_log_names_a_life_when_it_is_registered() {
        lease.renew(lease.current()); // its registration got no answer
        lease.beaten(lease.current(), 1, 1, false);
        lease.beaten(lease.current(), 2, 1, false);
        assertThat(said()).containsExactly("This process is registered as second");
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
