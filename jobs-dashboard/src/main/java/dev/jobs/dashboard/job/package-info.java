/** The page of one job. */
@NullMarked
package dev.jobs.dashboard.job;

import org.jspecify.annotations.NullMarked;
