package dev.jobs.spring.autoconfigure.limiters;

import dev.jobs.Internal;
import dev.jobs.limiters.LimiterConfig;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Jobs that have used up what a limiter allows.
 *
 * @param reschedules Number of times in succession that such a job waits for room, without counting a retry, before
 *     it fails, 0 to 1000.
 * @param errors Names of exception classes that mean the same when a job throws them, such as
 *     "org.springframework.web.client.HttpClientErrorException$TooManyRequests". Subclasses count too.
 * @param errorDelay Time that a job waits that threw one of these, 1 millisecond to 1 day.
 */
@Internal
public record LimiterProperties(
        @DefaultValue("20") int reschedules,
        @DefaultValue List<String> errors,

        @DefaultValue("1m") @DurationUnit(ChronoUnit.SECONDS)
        Duration errorDelay) {

    private static final Pattern CLASS_NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$.]*");

    /** The same for the engine. */
    public LimiterConfig config() {
        return new LimiterConfig(reschedules, Set.copyOf(errors), errorDelay);
    }

    public void check(PropertyRules rules) {
        rules.within("limiters.reschedules", reschedules, 0, 1_000)
                .within("limiters.error-delay", errorDelay, "1ms", "1d");
        for (int i = 0; i < errors.size(); i++) {
            String name = errors.get(i);
            rules.check(
                    "limiters.errors[" + i + "]",
                    name,
                    CLASS_NAME.matcher(name).matches(),
                    "must be the name of a class");
        }
    }
}
