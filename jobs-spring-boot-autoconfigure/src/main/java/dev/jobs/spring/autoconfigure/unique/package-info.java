/** Unique jobs. */
@NullMarked
package dev.jobs.spring.autoconfigure.unique;

import org.jspecify.annotations.NullMarked;
