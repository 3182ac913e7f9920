/** Limiters and who holds them. */
@NullMarked
package dev.jobs.dashboard.limiters;

import org.jspecify.annotations.NullMarked;
