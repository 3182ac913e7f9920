package dev.jobs.test.ladder;

import dev.jobs.Job;
import dev.jobs.retries.Retry;
import dev.jobs.test.TestClock;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

@Component
class Prices {

    private final TestClock clock;

    /** When the job ran. */
    final List<Instant> attempts = new CopyOnWriteArrayList<>();

    Prices(TestClock clock) {
        this.clock = clock;
    }

    @Job("Prices.load")
    @Retry(maxRetries = 4, delay = "10s", multiplier = 3, maxDelay = "2m", excludes = IllegalArgumentException.class)
    void load(long shop) throws IOException {
        attempts.add(clock.instant());
        if (shop < 0) {
            throw new IllegalArgumentException("no shop");
        }
        throw new IOException("the shop does not answer");
    }
}
