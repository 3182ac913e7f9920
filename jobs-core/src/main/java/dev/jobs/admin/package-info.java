/** Inspects and repairs jobs: {@link dev.jobs.admin.JobsAdmin}. The engine never uses it. */
@NullMarked
package dev.jobs.admin;

import org.jspecify.annotations.NullMarked;
