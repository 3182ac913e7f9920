/** Limits on how many jobs run at once. */
@NullMarked
package dev.jobs.spring.autoconfigure.limits;

import org.jspecify.annotations.NullMarked;
