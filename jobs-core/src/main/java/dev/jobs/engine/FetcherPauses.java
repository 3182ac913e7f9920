package dev.jobs.engine;

import dev.jobs.JobStoreException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The pauses of a fetcher after failures, all of which end at once when it is abandoned. Thread-safe. */
final class FetcherPauses {

    private static final Duration DENIED = Duration.ofSeconds(10);
    private static final Duration FIRST = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofMillis(500);

    private final CountDownLatch abandoned = new CountDownLatch(1);

    /**
     * Waits after a failed attempt, longer with each one.
     *
     * @param attempt its number, from 0
     * @return whether to go on
     */
    boolean pause(JobStoreException failure, int attempt) throws InterruptedException {
        Duration growing = FIRST.multipliedBy(1L << Math.min(attempt, 10));
        Duration bounded = growing.compareTo(LONGEST) < 0 ? growing : LONGEST;
        Duration pause = failure.kind() == JobStoreException.Kind.DENIED ? DENIED : bounded;
        return !abandoned.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Waits, unless the fetcher is abandoned. */
    void pause(Duration duration) {
        try {
            abandoned.await(duration.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // ends the pause early
        }
    }

    /** Ends all pauses. */
    void abandon() {
        abandoned.countDown();
    }

    boolean isAbandoned() {
        return abandoned.getCount() == 0;
    }
}
