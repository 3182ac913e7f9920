/** Observations of jobs, if Micrometer is present: what they know, and conventions that name it. */
@NullMarked
package dev.jobs.spring.observation;

import org.jspecify.annotations.NullMarked;
