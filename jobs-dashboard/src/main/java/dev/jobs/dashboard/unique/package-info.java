/** The locks of unique jobs. */
@NullMarked
package dev.jobs.dashboard.unique;

import org.jspecify.annotations.NullMarked;
