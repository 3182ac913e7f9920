package dev.jobs.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PatienceTests {

    @Test
    void aTestWaitsForAMinuteUnlessItSaysOtherwise() {
        AtomicLong left = new AtomicLong();

        await().conditionEvaluationListener(look -> left.set(look.getRemainingTimeInMS()))
                .until(() -> true);

        assertThat(left).hasValueBetween(10_001, 60_000);
    }
}
