/**
 * Internal: enqueues jobs in Redis; the implementation of {@link dev.jobs.JobClient} and
 * {@link dev.jobs.recurring.RecurringJobs}.
 */
@NullMarked
package dev.jobs.client;

import org.jspecify.annotations.NullMarked;
