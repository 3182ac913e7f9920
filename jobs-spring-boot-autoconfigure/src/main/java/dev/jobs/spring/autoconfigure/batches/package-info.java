/** Batches. */
@NullMarked
package dev.jobs.spring.autoconfigure.batches;

import org.jspecify.annotations.NullMarked;
