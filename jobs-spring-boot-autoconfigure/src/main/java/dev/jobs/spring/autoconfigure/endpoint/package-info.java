/** The actuator endpoint {@code jobs}, if the actuator is present. */
@NullMarked
package dev.jobs.spring.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
