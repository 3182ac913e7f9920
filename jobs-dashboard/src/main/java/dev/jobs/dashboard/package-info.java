/** Pages inside a Spring MVC application that show its jobs and let users control them. */
@NullMarked
package dev.jobs.dashboard;

import org.jspecify.annotations.NullMarked;
