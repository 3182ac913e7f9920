/** Queues in which the keys of jobs take turns, or priorities count. */
@NullMarked
package dev.jobs.ordered;

import org.jspecify.annotations.NullMarked;
