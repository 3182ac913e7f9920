/**
 * Sources of elements for iterable jobs: files, CSV and databases. Another source takes a few lines; see
 * {@link dev.jobs.Iteration.Source}.
 */
@NullMarked
package dev.jobs.source;

import org.jspecify.annotations.NullMarked;
