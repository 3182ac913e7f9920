package dev.jobs.limits;

import dev.jobs.Internal;
import org.jspecify.annotations.Nullable;

/**
 * A limit of one job.
 *
 * @param limit its name, without line breaks
 * @param key what it limits, without line breaks; empty if all jobs of the limit have one key
 * @param numbers how many jobs with that key may run at once or start in a time, as far as this process knows; null if
 *     it doesn't
 */
@Internal
public record JobLimit(String limit, String key, @Nullable LimitNumbers numbers) {

    /** How scripts name it. */
    public String id() {
        return limit + "\n" + key;
    }

    /** The limit and the key of an id, without what this process knows of it. */
    public static JobLimit at(String id) {
        int end = id.indexOf('\n');
        return new JobLimit(id.substring(0, end), id.substring(end + 1), null);
    }
}
