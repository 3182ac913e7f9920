package dev.jobs.limits;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Makes some calls in a short time: due jobs wait meanwhile. */
record Turn(LongSupplier nanoTime) {

    private static final int CALLS = 20;
    private static final Duration WITHIN = Duration.ofMillis(5);

    /** @param call makes a call if one is left to make, and returns whether it was */
    void take(BooleanSupplier call) {
        long begin = nanoTime.getAsLong();
        int made = 0;
        while (made < CALLS && (made == 0 || nanoTime.getAsLong() - begin < WITHIN.toNanos()) && call.getAsBoolean()) {
            made++;
        }
    }
}
