package dev.jobs.redis;

import org.jspecify.annotations.Nullable;

/**
 * A limit of one job.
 *
 * @param limit its name, without line breaks
 * @param key what it limits, without line breaks; empty if all jobs of the limit have one key
 * @param most how many jobs with that key may run at once, as far as this process knows; null if it doesn't
 */
public record JobLimit(String limit, String key, @Nullable Integer most) {

    /** How {@code jobs:wake} names it. */
    String place() {
        return limit + "\n" + key;
    }
}
