package dev.jobs.ends;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.Payload;
import dev.jobs.client.ClientWithOptions;
import dev.jobs.client.PayloadRule;
import dev.jobs.client.PayloadRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a job says of when it expires, how long an execution may take, and whether a cancellation interrupts its thread:
 * {@link Job#expiresIn()}, {@link Job#timeout()} and {@link Job#interruptible()}. Workers of Ruby ignore timeouts.
 */
@Internal
public final class EndRules implements PayloadRule {

    /** The payload's member for the seconds that an execution may take. */
    static final String TIMEOUT = "timeout";

    /** The payload's member that says whether a job that timed out is retried; missing means that it is. */
    static final String TIMEOUT_RETRY = "timeout_retry";

    private static final String SECONDS_FORM = "a number of seconds from 0.001 to 1,000,000,000";

    /** That a job's thread is interrupted when the job is cancelled. */
    private record Interruptible() {}

    /** Methods of a client whose jobs may expire, and have timeouts. */
    public interface OptionMethods extends ClientWithOptions {

        @Override
        default JobClient expiresIn(Duration time) {
            return with(Expiry.AFTER, Expiry.seconds(time));
        }

        @Override
        default JobClient timeout(Duration timeout) {
            return with(TIMEOUT, Expiry.seconds(TIMEOUT, timeout));
        }
    }

    /** The duration in a member; null if it is missing, or if another program wrote something else than seconds. */
    static @Nullable Duration timeout(@Nullable Object seconds) {
        return seconds instanceof Number number && Expiry.isValid(number)
                ? Duration.ofNanos(Math.max(1, Math.round(number.doubleValue() * 1e9)))
                : null;
    }

    static boolean isInterruptible(JobDefinition job) {
        return job.rule(Interruptible.class) != null;
    }

    @Override
    public List<String> lua() {
        return List.of("effect_cancelled");
    }

    @Override
    public void options(Map<String, Object> options, JobAnnotations annotations) {
        Job job = annotations.job();
        if (!job.expiresIn().isEmpty()) {
            options.put(Expiry.AFTER, annotations.secondsOf("expiresIn", job.expiresIn()));
        }
        if (!job.timeout().isEmpty()) {
            options.put(TIMEOUT, annotations.secondsOf("timeout", job.timeout()));
        }
        if (!job.timeoutRetry()) {
            options.put(TIMEOUT_RETRY, false);
        }
    }

    @Override
    public @Nullable Object read(JobDefinition job, JobAnnotations annotations) {
        return annotations.job().interruptible() ? new Interruptible() : null;
    }

    @Override
    public void check(Payload payload) {
        PayloadRules.require(Expiry.isValid(payload.get(Expiry.AFTER)), payload, Expiry.AFTER, SECONDS_FORM);
        PayloadRules.require(Expiry.isValid(payload.get(TIMEOUT)), payload, TIMEOUT, SECONDS_FORM);
        Object retries = payload.get(TIMEOUT_RETRY);
        PayloadRules.require(retries == null || retries instanceof Boolean, payload, TIMEOUT_RETRY, "true or false");
    }
}
