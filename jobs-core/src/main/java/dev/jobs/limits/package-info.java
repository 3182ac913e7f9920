/** Limits on how many jobs run at once or start within a time ({@link dev.jobs.limits.Limit}), also on queues. */
@NullMarked
package dev.jobs.limits;

import org.jspecify.annotations.NullMarked;
