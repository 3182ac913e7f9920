/** Batches and jobs of years, from the database of the history. */
@NullMarked
package dev.jobs.dashboard.history;

import org.jspecify.annotations.NullMarked;
