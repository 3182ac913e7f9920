/**
 * Recurring jobs and their schedules: {@link dev.jobs.recurring.RecurringJobs}. {@code RecurringPoller} asks
 * {@code CronSchedule} for the previous and the next slot, and {@code DueTimes} which of them to fire, with
 * {@code recurring_fire.lua}, which takes the slot, pushes the job and records both in one step.
 * {@code RecurringDeclarations} stores what the application declares.
 */
@NullMarked
package dev.jobs.recurring;

import org.jspecify.annotations.NullMarked;
