package dev.jobs.spring.autoconfigure.limits;

import dev.jobs.Internal;
import dev.jobs.limits.LimitNumbers;
import dev.jobs.limits.LimitRate;
import dev.jobs.limits.LimitRule;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationUnit;

/**
 * A limit on how many jobs run at once, or start in a time, over all workers. Its name is that of a @Limit, or of a job
 * with a limit of its own. Needs a concurrency, a rate or both.
 *
 * @param concurrency Number of jobs with the same key that may run at once, 1 to 1000000. Wins over the number in the
 *     code.
 * @param rate Number of jobs with the same key that may start in the time 'per', 1 to 1000000. Wins, with 'per' and
 *     'burst', over the rate in the code.
 * @param per Time for the rate, 1 millisecond to 365 days.
 * @param burst Number of jobs that may start at once after a quiet time, 1 to 1000000. As many as the rate by default.
 */
@Internal
public record LimitProperties(
        @Nullable Integer concurrency,
        @Nullable Integer rate,

        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration per,

        @Nullable Integer burst) {

    private static final int MOST = 1_000_000;

    public void check(String name, PropertyRules rules) {
        String prefix = "limits[" + name + "].";
        rules.check(
                "limits[" + name + "]",
                name,
                !name.startsWith(LimitRule.OF_QUEUE),
                "must not begin with '" + LimitRule.OF_QUEUE + "': use jobs.queue-limits for queues");
        rules.check(
                prefix + "concurrency", concurrency, concurrency != null || rate != null, "must be there, or a rate");
        within(prefix + "concurrency", concurrency, rules);
        within(prefix + "rate", rate, rules);
        within(prefix + "burst", burst, rules);
        rules.within(prefix + "per", per, "1ms", "365d")
                .check(prefix + "per", per, (per == null) == (rate == null), "must be there exactly if there is a rate")
                .check(prefix + "burst", burst, burst == null || rate != null, "must only be there with a rate");
        if (rate != null && per != null && isPossible(rate) && (burst == null || isPossible(burst))) {
            try {
                numbers();
            } catch (IllegalArgumentException e) {
                rules.check(
                        prefix + "burst",
                        burst,
                        per.compareTo(LimitRate.SHORTEST) < 0 || per.compareTo(LimitRate.LONGEST) > 0,
                        "must be there again within 100 years at that rate");
            }
        }
    }

    private static void within(String name, @Nullable Integer value, PropertyRules rules) {
        if (value != null) {
            rules.within(name, value, 1, MOST);
        }
    }

    private static boolean isPossible(int value) {
        return value >= 1 && value <= MOST;
    }

    public LimitNumbers numbers() {
        return new LimitNumbers(
                concurrency,
                rate == null || per == null ? null : new LimitRate(rate, per, burst == null ? rate : burst));
    }
}
