package dev.jobs;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides about a failed job that has retries left. With several policies the first decision counts; without a decision
 * the job is retried after {@code count⁴ + 15} seconds. As in Sidekiq, jitter of 0 to {@code 10 · (count + 1)} seconds
 * is added to every delay that is not {@linkplain Decision#retryAfter exact}. An exception in a policy is reported to
 * every {@link JobErrorHandler} and counts as no decision. Called by many threads.
 */
@FunctionalInterface
public interface RetryPolicy {

    /**
     * @param payload the job as stored before this failure
     * @param count 0 at the first failure, 1 at the second …
     * @param failure what the job threw
     * @return the decision, or null to leave it to the next policy
     */
    @Nullable Decision decide(Payload payload, int count, Throwable failure);

    /** A decision about a failed job. */
    sealed interface Decision {
        /**
         * Retry after a delay of at least one second and at most 1,000,000,000, in whole seconds; less than a second
         * means the default delay.
         */
        static Decision retryIn(Duration delay) {
            return new RetryIn(delay);
        }

        /**
         * Retry after exactly this delay, to the millisecond, without jitter; at once if it is negative, and after
         * 1,000,000,000 s at most.
         */
        static Decision retryAfter(Duration delay) {
            return new RetryAfter(delay);
        }

        /** Give up and move the job to the dead set. */
        static Decision kill() {
            return new Kill();
        }

        /** Give up and discard the job. */
        static Decision discard() {
            return new Discard();
        }

        /**
         * The same decision with who made it, such as {@code policy prices}, for the log line of the failure. A
         * decision that says so already stays as it is.
         */
        default Decision by(String who) {
            return this instanceof By ? this : new By(this, who);
        }
    }

    /** See {@link Decision#retryIn}. */
    record RetryIn(Duration delay) implements Decision {
        public RetryIn {
            delay = bounded(delay);
        }
    }

    /** See {@link Decision#retryAfter}. */
    record RetryAfter(Duration delay) implements Decision {
        public RetryAfter {
            delay = bounded(delay);
        }
    }

    /** Policies may compute anything, and longer times can't be added. */
    private static Duration bounded(Duration delay) {
        Duration longest = Duration.ofSeconds(1_000_000_000);
        return Objects.requireNonNull(delay, "delay").compareTo(longest) < 0 ? delay : longest;
    }

    /** See {@link Decision#kill}. */
    record Kill() implements Decision {}

    /** See {@link Decision#discard}. */
    record Discard() implements Decision {}

    /**
     * See {@link Decision#by}.
     *
     * @param decision of one that names somebody else, only what was decided
     */
    record By(Decision decision, String who) implements Decision {
        public By {
            decision = Objects.requireNonNull(decision instanceof By other ? other.decision : decision, "decision");
            Objects.requireNonNull(who, "who");
        }
    }
}
