/**
 * Inspects and repairs queues, sets and processes. The entrance is {@link dev.jobs.assembly.JobsAdmin}, which adds what
 * features show and repair. The engine never uses this package.
 */
@NullMarked
package dev.jobs.admin;

import org.jspecify.annotations.NullMarked;
