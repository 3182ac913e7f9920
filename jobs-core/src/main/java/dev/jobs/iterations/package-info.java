/**
 * Iterable jobs ({@link dev.jobs.iterations.Iteration}) and sources of their elements: files, CSV and databases. Another
 * source takes a few lines; see {@link dev.jobs.iterations.Iteration.Source}.
 */
@NullMarked
package dev.jobs.iterations;

import org.jspecify.annotations.NullMarked;
