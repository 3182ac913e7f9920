package dev.jobs.spring.autoconfigure.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class CommitLifecycleTests {

    /** Spring stops the highest phase first. */
    @Test
    void jobsOfCommittedTransactionsAreAwaitedBeforeConnectionsEnd() {
        assertThat(new CommitLifecycle(Stream::empty).getPhase())
                .isGreaterThan(new LettuceConnectionFactory().getPhase());
    }
}
