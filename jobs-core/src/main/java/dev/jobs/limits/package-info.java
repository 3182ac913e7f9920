/**
 * Limits on how many jobs run at once or start within a time ({@link dev.jobs.limits.Limit}), also on queues.
 *
 * <ul>
 *   <li>Of jobs: {@code LimitedJobs} finds out which claimed jobs have limits, {@code Admission} asks for their permits
 *       ({@code Permits}, {@code admit.lua}); jobs that get none are parked. The effect {@code permit} of a settlement
 *       lets the next one go on
 *   <li>What no settlement lets go on: {@code ParkedJobs}, by the keys and times in {@code jobs:wake};
 *       {@code ParkedSweep} looks for parked jobs that must not be run
 *   <li>Of whole queues: the claim takes permits together with jobs ({@code QueueLimits}, {@code LimitedQueues}); the
 *       effect {@code room} gives them back
 * </ul>
 */
@NullMarked
package dev.jobs.limits;

import org.jspecify.annotations.NullMarked;
