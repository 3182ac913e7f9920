/**
 * The public API: the {@link dev.jobs.Job} annotation, the {@link dev.jobs.JobClient}, and the small interfaces that
 * hook into enqueueing and performing.
 */
@NullMarked
package dev.jobs;

import org.jspecify.annotations.NullMarked;
