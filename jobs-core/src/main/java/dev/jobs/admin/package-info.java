/** Inspects and repairs jobs: {@link dev.jobs.assembly.JobsAdmin}. The engine never uses it. */
@NullMarked
package dev.jobs.admin;

import org.jspecify.annotations.NullMarked;
