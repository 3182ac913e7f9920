/**
 * Internal: the steps of a job in Redis: pushes, claims and settlements, and the seams by which features change other
 * keys in the same step ({@code Effect}, {@code Check}) or keep jobs in their queues ({@code ClaimGate}).
 */
@NullMarked
package dev.jobs.store;

import org.jspecify.annotations.NullMarked;
