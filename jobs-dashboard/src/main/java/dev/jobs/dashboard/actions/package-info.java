/** What people do with jobs by hand: run, move, delete, enqueue. */
@NullMarked
package dev.jobs.dashboard.actions;

import org.jspecify.annotations.NullMarked;
