package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PatienceTests {

    @Test
    void aBusyMachineHasTenMinutesForAnEvent() {
        AtomicLong left = new AtomicLong();

        await().conditionEvaluationListener(look -> left.set(look.getRemainingTimeInMS()))
                .until(() -> true);

        assertThat(left).hasValueBetween(TimeUnit.MINUTES.toMillis(9), TimeUnit.MINUTES.toMillis(10));
    }
}
