/** Finds the methods of beans that are jobs. */
@NullMarked
package dev.jobs.spring.autoconfigure.discovery;

import org.jspecify.annotations.NullMarked;
