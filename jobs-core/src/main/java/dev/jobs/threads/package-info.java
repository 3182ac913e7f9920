/**
 * Internal: the threads of a process beside its jobs: loops, what becomes of what is thrown on them, what jobs leave on
 * them, and outages as they see them. Knows no jobs.
 */
@NullMarked
package dev.jobs.threads;

import org.jspecify.annotations.NullMarked;
