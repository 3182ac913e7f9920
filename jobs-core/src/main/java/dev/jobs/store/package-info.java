/**
 * Internal: where jobs are kept: claims, pushes, queues, sets, the leases of processes, and the seams by which features
 * change other keys in the same step ({@code Effect}, {@code Check}).
 */
@NullMarked
package dev.jobs.store;

import org.jspecify.annotations.NullMarked;
