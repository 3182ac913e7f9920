/**
 * Puts engine, client and administration together with the features: {@link dev.jobs.assembly.JobEngine},
 * {@link dev.jobs.assembly.JobsAdmin}.
 */
@NullMarked
package dev.jobs.assembly;

import org.jspecify.annotations.NullMarked;
