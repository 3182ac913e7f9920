/**
 * Sets up Jobs in a Spring Boot application: beans, properties, discovery of {@link dev.jobs.Job} methods, start and
 * stop.
 */
@NullMarked
package dev.jobs.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
