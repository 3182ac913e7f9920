/** The dashboard in a Spring MVC application. */
@NullMarked
package dev.jobs.dashboard.servlet;

import org.jspecify.annotations.NullMarked;
