/** Retry rules of single jobs, and the beans that they name. */
@NullMarked
package dev.jobs.spring.autoconfigure.retries;

import org.jspecify.annotations.NullMarked;
