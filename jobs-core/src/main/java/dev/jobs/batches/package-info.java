/** Many jobs under one id: {@link dev.jobs.batches.Batches}. */
@NullMarked
package dev.jobs.batches;

import org.jspecify.annotations.NullMarked;
