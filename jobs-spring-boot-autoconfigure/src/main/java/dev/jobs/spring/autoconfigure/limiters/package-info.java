/** Limiters of blocks of code. */
@NullMarked
package dev.jobs.spring.autoconfigure.limiters;

import org.jspecify.annotations.NullMarked;
