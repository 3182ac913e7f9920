package dev.jobs.admin;

import java.time.Duration;

/**
 * A key of a limit for which jobs are parked.
 *
 * @param held jobs with this key that have a permit
 * @param waiting jobs with this key that are parked
 * @param longestWait how long ago the first of them was enqueued
 */
public record LimitKey(String key, long held, long waiting, Duration longestWait) {}
