/**
 * Internal: what a process does beside running jobs: {@code LeaseRenewal} renews its lease,
 * {@code Reaper} recovers the jobs of dead processes, {@code Poller} moves jobs that are due, and {@code EffectUpkeep}
 * applies effects again that met an error. A {@code Turn} says when a process does what one does for all.
 */
@NullMarked
package dev.jobs.chores;

import org.jspecify.annotations.NullMarked;
