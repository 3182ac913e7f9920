/**
 * Internal: which process holds jobs, and how long it may without a sign of life: {@code ProcessLeases} in Redis,
 * {@code Lease} in the process, one {@code Incarnation} of it at a time; {@code InFlightJobs} and {@code JobRecoveries}
 * know what Redis holds and counts.
 */
@NullMarked
package dev.jobs.leases;

import org.jspecify.annotations.NullMarked;
