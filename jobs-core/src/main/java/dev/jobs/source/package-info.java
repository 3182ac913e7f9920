/**
 * Where iterable jobs get their elements from: files, CSV and databases. What else there is takes a few lines, see
 * {@link dev.jobs.Iteration.Source}.
 */
@NullMarked
package dev.jobs.source;

import org.jspecify.annotations.NullMarked;
