/** What jobs return ({@link dev.jobs.JobHandle}), and what running ones report: progress and lines of a log. */
@NullMarked
package dev.jobs.results;

import org.jspecify.annotations.NullMarked;
