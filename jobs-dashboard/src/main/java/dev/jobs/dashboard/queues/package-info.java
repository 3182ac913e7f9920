/** Queues, and what can be done with a whole one. */
@NullMarked
package dev.jobs.dashboard.queues;

import org.jspecify.annotations.NullMarked;
