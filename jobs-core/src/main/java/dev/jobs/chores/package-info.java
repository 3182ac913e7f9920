/**
 * Internal: what a process does beside running jobs: it renews its lease and recovers jobs of dead processes, moves jobs
 * that are due, and repeats effects that were lost.
 */
@NullMarked
package dev.jobs.chores;

import org.jspecify.annotations.NullMarked;
