/** Recurring jobs. */
@NullMarked
package dev.jobs.dashboard.recurring;

import org.jspecify.annotations.NullMarked;
