/** The endpoint {@code jobs} of the actuator, where that is. */
@NullMarked
package dev.jobs.spring.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
