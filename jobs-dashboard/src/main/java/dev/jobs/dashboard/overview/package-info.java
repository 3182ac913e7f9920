/** The first page, and what on it needs attention. */
@NullMarked
package dev.jobs.dashboard.overview;

import org.jspecify.annotations.NullMarked;
