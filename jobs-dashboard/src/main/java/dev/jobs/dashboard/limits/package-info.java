/** Limits, their keys, and the jobs that are parked there. */
@NullMarked
package dev.jobs.dashboard.limits;

import org.jspecify.annotations.NullMarked;
