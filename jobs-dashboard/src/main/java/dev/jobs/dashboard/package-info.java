/** Pages inside a Spring MVC application that show its jobs and let people steer them. */
@NullMarked
package dev.jobs.dashboard;

import org.jspecify.annotations.NullMarked;
