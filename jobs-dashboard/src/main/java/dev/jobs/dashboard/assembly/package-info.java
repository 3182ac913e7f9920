/** Puts the dashboard together; knows all of its features. */
@NullMarked
package dev.jobs.dashboard.assembly;

import org.jspecify.annotations.NullMarked;
