/** Meters of jobs, queues and worker, where Micrometer is. */
@NullMarked
package dev.jobs.spring.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
