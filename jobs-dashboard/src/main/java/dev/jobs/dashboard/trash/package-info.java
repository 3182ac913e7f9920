/** Deleted jobs, and their return. */
@NullMarked
package dev.jobs.dashboard.trash;

import org.jspecify.annotations.NullMarked;
