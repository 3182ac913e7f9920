/** The dashboard in a WebFlux application. */
@NullMarked
package dev.jobs.dashboard.reactive;

import org.jspecify.annotations.NullMarked;
