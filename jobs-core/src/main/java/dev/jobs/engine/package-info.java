/** Runs jobs: {@link dev.jobs.engine.JobEngine} and its parts. */
@NullMarked
package dev.jobs.engine;

import org.jspecify.annotations.NullMarked;
