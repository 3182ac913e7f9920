/** What running jobs report: progress and lines. */
@NullMarked
package dev.jobs.dashboard.results;

import org.jspecify.annotations.NullMarked;
