package dev.jobs;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a failed job is retried, and how often: for {@link JobClient#retry(RetryRule) the jobs of a call}, in place of
 * what their annotations and policies say. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * jobs.retry(RetryRule.after(Duration.ofSeconds(10)).multiplier(2).maxDelay(Duration.ofMinutes(10)).maxRetries(8))
 *         .enqueue(Prices::load, shop);
 * }</pre>
 *
 * <p>It travels in the job's payload, so that a worker of any version obeys it. Workers of Ruby obey the number of
 * retries, and keep the rest.
 *
 * @param delay from the first failure to the first retry, 1 ms to 1,000,000,000 s
 * @param multiplier what each further delay is as a multiple of the one before, 1 to 1,000
 * @param maxDelay the longest delay, at least the first one; null for no bound but the longest of all delays
 * @param jitter how much shorter or longer at random the first delay may be; it grows like the delays. None is shorter
 *     than {@code delay} or longer than {@code maxDelay}. Null for none
 * @param maxRetries how often a failed job is retried, 0 to 1,000; null if that stays what it was
 */
public record RetryRule(
        Duration delay,
        double multiplier,
        @Nullable Duration maxDelay,
        @Nullable Duration jitter,
        @Nullable Integer maxRetries) {

    /** The payload's member that holds all but the number of retries. */
    @Internal
    public static final String MEMBER = "jobs_retry";

    private static final double MOST_MULTIPLIER = 1_000;
    private static final int MOST_RETRIES = 1_000;
    private static final long LONGEST_MILLIS = 1_000_000_000_000L;

    private static final String DELAY = "delay";
    private static final String MULTIPLIER = "multiplier";
    private static final String MAX_DELAY = "max_delay";
    private static final String JITTER = "jitter";

    /** @throws InvalidJobException if a value is out of range */
    public RetryRule {
        Expiry.seconds("delay", delay);
        if (!(multiplier >= 1 && multiplier <= MOST_MULTIPLIER)) {
            throw new InvalidJobException("'multiplier' must be 1 to 1,000 but was " + multiplier);
        }
        if (maxDelay != null) {
            Expiry.seconds("maxDelay", maxDelay);
            if (maxDelay.compareTo(delay) < 0) {
                throw new InvalidJobException(
                        "'maxDelay' must not be less than the delay of " + delay + " but was " + maxDelay);
            }
        }
        if (jitter != null) {
            Expiry.seconds("jitter", jitter);
        }
        if (maxRetries != null && (maxRetries < 0 || maxRetries > MOST_RETRIES)) {
            throw new InvalidJobException("'maxRetries' must be 0 to 1,000 but was " + maxRetries);
        }
    }

    /** The same delay before each retry, as often as the job is retried anyway. */
    public static RetryRule after(Duration delay) {
        return new RetryRule(delay, 1, null, null, null);
    }

    /** Lets delays grow. */
    public RetryRule multiplier(double other) {
        return new RetryRule(delay, other, maxDelay, jitter, maxRetries);
    }

    /** Sets the longest delay. */
    public RetryRule maxDelay(Duration other) {
        return new RetryRule(delay, multiplier, other, jitter, maxRetries);
    }

    /** Spreads the retries of jobs that fail together. */
    public RetryRule jitter(Duration other) {
        return new RetryRule(delay, multiplier, maxDelay, other, maxRetries);
    }

    /** Sets how often a failed job is retried, 0 to 1,000; {@link JobClient#retry(int)} can discard it instead. */
    public RetryRule maxRetries(int other) {
        return new RetryRule(delay, multiplier, maxDelay, jitter, other);
    }

    JobClient on(JobClient client) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(DELAY, Expiry.seconds(DELAY, delay));
        if (multiplier != 1) {
            members.put(MULTIPLIER, multiplier);
        }
        if (maxDelay != null) {
            members.put(MAX_DELAY, Expiry.seconds(MAX_DELAY, maxDelay));
        }
        if (jitter != null) {
            members.put(JITTER, Expiry.seconds(JITTER, jitter));
        }
        JobClient without = maxRetries == null ? client : client.retry(maxRetries);
        return without.with(MEMBER, members);
    }

    /**
     * The rule in a payload, without the number of retries; null if there is none, or if what another program wrote
     * there is none.
     */
    @Internal
    public static @Nullable RetryRule of(Payload payload) {
        if (!payload.has(MEMBER) || !(payload.get(MEMBER) instanceof Map<?, ?> members)) {
            return null;
        }
        try {
            Duration delay = duration(members.get(DELAY));
            Object multiplier = members.get(MULTIPLIER);
            return delay == null
                    ? null
                    : new RetryRule(
                            delay,
                            multiplier == null ? 1 : number(multiplier),
                            duration(members.get(MAX_DELAY)),
                            duration(members.get(JITTER)),
                            null);
        } catch (InvalidJobException e) {
            return null;
        }
    }

    private static double number(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        throw new InvalidJobException("Not a number: " + value);
    }

    private static @Nullable Duration duration(@Nullable Object seconds) {
        if (seconds == null) {
            return null;
        }
        if (!Expiry.isValid(seconds)) {
            throw new InvalidJobException("Not a time: " + seconds);
        }
        return Duration.ofMillis(Math.max(1, Math.round(number(seconds) * 1_000)));
    }

    /**
     * The time from a failure to the retry that follows, to the millisecond.
     *
     * @param count 0 at the first failure, 1 at the second …
     * @param random used only if there is a jitter
     */
    @Internal
    public Duration before(int count, RandomGenerator random) {
        long first = delay.toMillis();
        long most = maxDelay == null ? LONGEST_MILLIS : maxDelay.toMillis();
        double grown = Math.min(most, first * Math.pow(multiplier, count));
        if (jitter == null) {
            return Duration.ofMillis(Math.round(grown));
        }
        double around = jitter.toMillis() * (grown / first);
        long least = Math.round(Math.max(first, grown - around));
        long longest = Math.round(Math.min(most, grown + around));
        return Duration.ofMillis(least + random.nextLong(longest - least + 1));
    }
}
