/** Recurring jobs and their schedules: {@link dev.jobs.recurring.RecurringJobs}. */
@NullMarked
package dev.jobs.recurring;

import org.jspecify.annotations.NullMarked;
