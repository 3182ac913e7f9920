/** Batches and their jobs. */
@NullMarked
package dev.jobs.dashboard.batches;

import org.jspecify.annotations.NullMarked;
