/**
 * Retry rules of single jobs: {@link dev.jobs.retries.Retry} on a method, {@link dev.jobs.RetryRule} for a call. Asked
 * before the policies that decide for all jobs.
 */
@NullMarked
package dev.jobs.retries;

import org.jspecify.annotations.NullMarked;
