/** Starts a Redis for a Spring Boot application that configures none. */
@NullMarked
package dev.jobs.embeddedredis.autoconfigure;

import org.jspecify.annotations.NullMarked;
