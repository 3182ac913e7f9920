/** The shards of a Spring Boot application. */
@NullMarked
package dev.jobs.shards.spring;

import org.jspecify.annotations.NullMarked;
