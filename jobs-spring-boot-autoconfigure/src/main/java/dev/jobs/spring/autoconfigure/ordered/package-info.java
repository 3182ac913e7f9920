/** Ordered queues. */
@NullMarked
package dev.jobs.spring.autoconfigure.ordered;

import org.jspecify.annotations.NullMarked;
