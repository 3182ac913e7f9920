/** Workers, what they run, and how they are controlled. */
@NullMarked
package dev.jobs.dashboard.processes;

import org.jspecify.annotations.NullMarked;
