/** What jobs do when they are given up. */
@NullMarked
package dev.jobs.dashboard.deaths;

import org.jspecify.annotations.NullMarked;
