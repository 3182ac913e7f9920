/** Jobs in lists: what is shown of them, and where they are. */
@NullMarked
package dev.jobs.dashboard.jobs;

import org.jspecify.annotations.NullMarked;
