/** Limits on blocks of code, over all processes: {@link dev.jobs.limiters.Limiters}. */
@NullMarked
package dev.jobs.limiters;

import org.jspecify.annotations.NullMarked;
