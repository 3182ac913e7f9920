/** How jobs that fail are retried. */
@NullMarked
package dev.jobs.dashboard.retries;

import org.jspecify.annotations.NullMarked;
