/** Events of the application. */
@NullMarked
package dev.jobs.spring.autoconfigure.events;

import org.jspecify.annotations.NullMarked;
