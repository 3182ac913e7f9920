/** Pages inside a Spring MVC or WebFlux application that show its jobs and let users control them: who may use them, and its properties. */
@NullMarked
package dev.jobs.dashboard;

import org.jspecify.annotations.NullMarked;
