package dev.jobs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a failed job that still has retries left. With several policies the first that decides wins; if none does, the
 * job is retried after {@code count⁴ + 15} seconds. Jitter of 0 to {@code 10 · (count + 1)} seconds is added to every delay, as Sidekiq does.
 * An exception in a policy is reported and counts as no decision. Called from many threads.
 */
@FunctionalInterface
public interface RetryPolicy {

    /**
     * @param payload the job as it was stored
     * @param count 0 at the first failure, 1 at the second …
     * @param failure what the job threw
     * @return the decision, or null to leave it to the next policy
     */
    @Nullable Decision decide(Payload payload, int count, Throwable failure);

    /** What becomes of the job. */
    sealed interface Decision {
        /** Try again after a delay of at least a second; anything less means the default delay. */
        static Decision retryIn(Duration delay) {
            return new RetryIn(delay);
        }

        /** Give up: to the dead set. */
        static Decision kill() {
            return new Kill();
        }

        /** Give up and drop the job. */
        static Decision discard() {
            return new Discard();
        }
    }

    /** See {@link Decision#retryIn}. */
    record RetryIn(Duration delay) implements Decision {}

    /** See {@link Decision#kill}. */
    record Kill() implements Decision {}

    /** See {@link Decision#discard}. */
    record Discard() implements Decision {}
}
