package dev.jobs.spring.autoconfigure;

/**
 * A limit on how many jobs run at once, over all workers. Its name is that of a @Limit, or of a job with a limit of its
 * own.
 *
 * @param concurrency Number of jobs with the same key that may run at once, 1 to 1000000. Wins over the number in the
 *     code.
 */
record LimitProperties(int concurrency) {

    void check(String prefix, PropertyRules rules) {
        rules.within(prefix + "concurrency", concurrency, 1, 1_000_000);
    }
}
