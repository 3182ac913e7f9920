/**
 * Internal: reads and moves the jobs that wait, in queues and in sets, and counts what became of the others.
 */
@NullMarked
package dev.jobs.lists;

import org.jspecify.annotations.NullMarked;
