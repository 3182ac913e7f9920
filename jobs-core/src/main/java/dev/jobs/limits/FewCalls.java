package dev.jobs.limits;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Makes up to 20 calls within 5 ms, at least one, and leaves the rest for later, since due jobs wait. */
record FewCalls(LongSupplier nanoTime) {

    private static final int MOST = 20;
    private static final Duration WITHIN = Duration.ofMillis(5);

    /** @param call makes a call if one is left to make, and returns whether it was */
    void make(BooleanSupplier call) {
        long begin = nanoTime.getAsLong();
        int made = 0;
        while (made < MOST && (made == 0 || nanoTime.getAsLong() - begin < WITHIN.toNanos()) && call.getAsBoolean()) {
            made++;
        }
    }
}
