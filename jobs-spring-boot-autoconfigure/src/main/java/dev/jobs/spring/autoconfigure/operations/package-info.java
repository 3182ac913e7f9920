/** What a feature shows and changes through the actuator endpoint. */
@NullMarked
package dev.jobs.spring.autoconfigure.operations;

import org.jspecify.annotations.NullMarked;
