/** Recurring jobs. */
@NullMarked
package dev.jobs.spring.autoconfigure.recurring;

import org.jspecify.annotations.NullMarked;
