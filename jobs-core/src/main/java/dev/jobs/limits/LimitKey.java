package dev.jobs.limits;

import java.time.Duration;

/**
 * A key of a limit for which jobs are parked.
 *
 * @param held jobs with this key that have a permit
 * @param waiting jobs with this key that are parked
 * @param longestWait how long ago the first of them was enqueued
 * @param nextStart how long until one of them may start by the limit's rate; zero if it may now, or if there is no rate
 */
public record LimitKey(String key, long held, long waiting, Duration longestWait, Duration nextStart) {}
